import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { invalidOption } from '../validation/options.js';
import { groupField, groupLockName } from '../keys/group-field.js';
import { assertNameCount, sortedNames } from '../keys/lock-name.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** A lone surrogate becomes U+FFFD when encoded, so all of them would hash to one field. */
const HALF_A_PAIR = /\p{Cs}/u;

const valuesOf = (values: unknown, maxNames: number): readonly string[] => {
  if (!Array.isArray(values) || values.length === 0) {
    throw invalidOption('values', values, 'a list of at least one string');
  }
  assertNameCount('A group lock', values.length, maxNames);
  return values.map((value: unknown) => {
    if (typeof value === 'string' && !HALF_A_PAIR.test(value)) return value;
    const fault =
      typeof value === 'string' ? 'is not well-formed: it contains half a surrogate pair' : 'is not a string';
    throw new LockNameError(`The value ${formatValue(value)} of a group ${fault}`, { details: { value } });
  });
};

/**
 * Several values of one group as one lock: all or none, in one step, independent of other values of the group. A group
 * is one Redis key, so it lies in one cluster slot. Its values exclude each other and nothing else: a lock with the
 * group's name is another kind of key (Redisson: `getMultiLock(group, values)` with a string codec). The `name` of the
 * lock is `group[fields]`: the key of the group, and the field of each value in it.
 *
 * The same set of values re-enters. Another set that shares a value is another lock, and waits.
 */
export class GroupLock extends ReentrantLock {
  /**
   * Created by `LockService`.
   * @param group The full name of the group.
   * @param values The values to lock. Duplicates count once.
   * @throws LockOptionsError if there is no value; LockNameError if a value is not a well-formed string, or if there
   *   are too many values.
   */
  constructor(runtime: LockServices, group: string, values: unknown) {
    const fields = valuesOf(values, runtime.defaults.maxNames).map(groupField);
    super(runtime, groupLockName(group, sortedNames(fields)), undefined, runtime.kinds.group);
  }
}
