import { LockNameError } from '../errors.js';
import { describe } from '../input/describe.js';

/**
 * What a key function returned, if it can be a key: without any name nothing would be locked.
 * @param place Whose key function it is, for the message.
 */
export const namesFrom = (names: unknown, place: string): string | readonly string[] => {
  if (typeof names === 'string') return names;
  if (Array.isArray(names) && names.length > 0) return names;
  throw new LockNameError(`The key function of ${place} must return a name or a list of names, not ${describe(names)}`);
};
