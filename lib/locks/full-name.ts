import { validateName } from '../keys/lock-name.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';

/**
 * The name as stored in Redis of what a caller names.
 * @throws LockNameError
 */
export const fullName = (name: string, { keyPrefix, names }: AcquireDefaults): string => {
  // Without this check the prefix alone would make a valid name.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
};
