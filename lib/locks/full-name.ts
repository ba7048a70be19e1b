import { refusedName, validateName } from '../keys/lock-name.js';
import { lockBesideKey } from '../keys/redisson-keys.js';
import { formatValue } from '../validation/format-value.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';

/**
 * The name as stored in Redis of what a caller names.
 * @throws LockNameError
 */
export const fullName = (name: string, { keyPrefix, names }: AcquireDefaults): string => {
  // Without this check the prefix alone would make a valid name.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  const full = validateName(keyPrefix + name, names);
  const beside = full.includes('{') ? lockBesideKey(full) : undefined;
  if (beside !== undefined) throw refusedName(full, `is the name of a key beside the lock ${formatValue(beside)}`);
  return full;
};
