import { refusedName, validateName } from '../keys/lock-name.js';
import { lockBesideKey } from '../keys/redisson-keys.js';
import { formatValue } from '../validation/format-value.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';

/**
 * The name as stored in Redis of what a caller names.
 * @throws LockNameError
 */
export const storedName = (name: string, { keyPrefix, names }: AcquireDefaults): string => {
  // Without this check the prefix alone would make a valid name.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
};

/**
 * As {@link storedName}, for what a caller locks: two different names must not share a key.
 * @throws LockNameError, also for the name of a key that is kept beside another lock
 */
export const fullName = (name: string, defaults: AcquireDefaults): string => {
  const full = storedName(name, defaults);
  const beside = full.includes('{') ? lockBesideKey(full) : undefined;
  if (beside === undefined) return full;
  throw refusedName(full, `is the name of a key beside the lock ${formatValue(beside)}`);
};
