import { isPassing } from '../../errors.js';
import { errorOfTwo } from './deadline-request.js';

/**
 * Sends a request that may be executed twice once more, if another attempt may help.
 * @param first Why the first attempt failed.
 * @param inVain Called with the error of the second attempt, to go on in the background, for instance.
 */
export const sendAgain = async <T>(
  first: unknown,
  send: () => Promise<T>,
  inVain: (second: unknown) => void = () => {},
): Promise<T> => {
  if (!isPassing(first)) throw first;
  try {
    return await send();
  } catch (second) {
    inVain(second);
    throw errorOfTwo(first, second);
  }
};
