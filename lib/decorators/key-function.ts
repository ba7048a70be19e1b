import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { assertNameCount } from '../keys/lock-name.js';

/**
 * What a key function returned, if it can be a key: without any name nothing would be locked.
 * @param place Whose key function it is, for the message.
 * @param maxNames How many names it may return.
 * @throws LockNameError
 */
export const namesFrom = (names: unknown, place: string, maxNames: number): string | readonly string[] => {
  if (typeof names === 'string') return names;
  if (Array.isArray(names) && names.length > 0) {
    assertNameCount(`The list from the key function of ${place}`, names.length, maxNames);
    return names;
  }
  throw new LockNameError(
    `The key function of ${place} must return a name or a list of names, not ${formatValue(names)}`,
  );
};
