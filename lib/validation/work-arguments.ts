import { LockOptionsError } from '../errors.js';
import { formatValue } from './format-value.js';

/** The arguments of a method that takes work to run, after options or without them. */
export type WorkArguments<Options, Work> = readonly [work: Work] | readonly [options: Options, work: Work];

/**
 * Tells options and work apart.
 * @param method The called method, for the message.
 * @throws LockOptionsError if the work is not a function.
 */
export const parseWork = <Options, Work>(
  method: string,
  given: WorkArguments<Options, Work>,
): readonly [options: Options | undefined, work: Work] => {
  const [options, work] = given.length === 1 ? [undefined, given[0]] : given;
  if (typeof work === 'function') return [options, work];
  throw new LockOptionsError(`${method} needs a function to run, not ${formatValue(work)}`);
};
