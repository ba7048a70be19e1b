import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { invalidOption } from '../validation/options.js';
import { groupField, groupLockName } from '../keys/group-field.js';
import { assertNameCount, sortedNames } from '../keys/lock-name.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/** Hashed, it would be as good as any other half. */
const HALF_A_PAIR = /\p{Cs}/u;

const valuesOf = (values: unknown, maxNames: number): readonly string[] => {
  if (!Array.isArray(values) || values.length === 0) {
    throw invalidOption('values', values, 'a list of at least one text');
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
 * Several values of one group as one lock: all of them or none, in one step, whatever else of the group is locked.
 * Groups live in one key each, so a group lies in one cluster slot. Its values exclude each other, and nobody else: a
 * lock that is called like the group is another kind of key (Redisson: `getMultiLock(group, values)` with a string codec).
 * The `name` of the lock is `group[fields]`: the key of the group, and the field of each value in it.
 *
 * The very same set of values re-enters; other sets that have a value in common are other locks, and wait.
 */
export class GroupLock extends ReentrantLock {
  /**
   * Made by `LockService`.
   * @param group The full name of the group.
   * @param values Those that are given twice count once.
   * @throws LockOptionsError when there is none, LockNameError for what is no well-formed text, and for too many values.
   */
  constructor(runtime: LockServices, group: string, values: unknown) {
    const fields = valuesOf(values, runtime.defaults.maxNames).map(groupField);
    super(runtime, groupLockName(group, sortedNames(fields)), undefined, runtime.kinds.group);
  }
}
