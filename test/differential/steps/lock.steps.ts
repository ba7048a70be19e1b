import fc from 'fast-check';
import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import type { LockOperations } from '../../../lib/backend/lock-operations.js';
import { partsOfGroupLock } from '../../../lib/keys/group-field.js';
import { fairChannel, limitChannel, lockChannel, readWriteLockChannel } from '../../../lib/keys/redisson-keys.js';
import { lease, OVER_MS, SHORT_MS, UNIT } from '../durations.js';
import { exclusiveOwners, groupLock, name as lockName, readersOrWriters } from '../names.js';
import type { Step } from '../pair.js';

/** The members of a backend that are locks. */
export type LockField = {
  [Field in keyof LockBackend]: LockBackend[Field] extends LockOperations ? Field : never;
}[keyof LockBackend];

const count = fc.integer({ min: 1, max: 3 });

const owners: Partial<Readonly<Record<LockField, readonly string[]>>> = {
  readLock: readersOrWriters,
  writeLock: readersOrWriters,
};

/**
 * The channels on which waiters for a lock hear of it. Plain locks would not be passed on beside one that only listens:
 * the clients of `granting-lock.steps` hear of these.
 */
const channelsOf = (kind: LockField, name: string): readonly string[] => {
  const turns = exclusiveOwners.map((owner) => fairChannel(name, owner));
  if (kind === 'readLock' || kind === 'writeLock') return [readWriteLockChannel(name)];
  if (kind === 'groupLock') return [lockChannel(partsOfGroupLock(name).group)];
  if (kind === 'limit') return [limitChannel(name), ...turns];
  return kind === 'fairLock' ? turns : [];
};

/**
 * Owners with leases. The leases of different owners never end together, so it is certain which of two owners in a
 * group is named as the holder.
 */
const terms = (names: readonly string[]): fc.Arbitrary<readonly [owner: string, ms: number]> =>
  fc
    .tuple(fc.nat(names.length - 1), lease)
    .map(([index, ms]) => [names[index] ?? '', names.length * ms + index * UNIT] as const);

/** Every operation of one kind of lock, by owners that hold it and by owners that do not. */
export const lockSteps = (kind: LockField): fc.Arbitrary<Step> => {
  const name = kind === 'groupLock' ? groupLock : lockName;
  const names = owners[kind] ?? exclusiveOwners;
  const owner = fc.constantFrom(...names);
  const silent = kind === 'lock' ? fc.boolean() : fc.constant(false);
  // Used by limits only.
  const limit = kind === 'limit' ? fc.integer({ min: 1, max: 3 }) : fc.constant(1);
  const acquire = fc.tuple(name, terms(names), limit).map(([lock, [by, ms], most]): Step => ({
    label: `${kind}.acquire ${lock} ${by} ${ms}${kind === 'limit' ? ` ${most}` : ''}`,
    run: ({ backend }) => backend[kind].acquire({ name: lock, owner: by, lease: ms, limit: most }),
  }));
  const acquireShortly = fc.tuple(name, owner).map(([lock, by]): Step => ({
    label: `${kind}.acquire ${lock} ${by} ${SHORT_MS}, which passes`,
    run: async ({ backend, pass }) => {
      const { outcome } = await backend[kind].acquire({ name: lock, owner: by, lease: SHORT_MS, limit: 1 });
      await pass(OVER_MS);
      return outcome;
    },
  }));
  const isLeft = kind === 'groupLock' ? fc.boolean() : fc.constant(false);
  const hold = fc
    .tuple(name, count, terms(names), silent, isLeft)
    .map(([lock, times, [by, ms], isSilent, left]): Step => ({
      label: `${kind}.hold ${lock} ${by} ${times} ${ms}${isSilent ? ', silently' : ''}${left ? ', left' : ''}`,
      run: async ({ backend, listeners }) => {
        // Hears who is told that a lease was shortened.
        const channels = channelsOf(kind, lock);
        if (channels.length > 0) await listeners.listen('waiters', channels);
        return backend[kind].hold({ name: lock, owner: by, count: times, lease: ms, silent: isSilent, isLeft: left });
      },
    }));
  const release = fc.tuple(name, owner, silent).map(([lock, by, isSilent]): Step => ({
    label: `${kind}.release ${lock} ${by}${isSilent ? ', silently' : ''}`,
    run: ({ backend }) => backend[kind].release({ name: lock, owner: by, lease: 1000, silent: isSilent }),
  }));
  const renew = fc.array(fc.tuple(name, terms(names)), { minLength: 1, maxLength: 3 }).map((renewals): Step => ({
    label: `${kind}.renew ${JSON.stringify(renewals)}`,
    run: async ({ backend }) =>
      backend[kind].renew(renewals.map(([lock, [by, ms]]) => ({ name: lock, owner: by, lease: ms }))),
  }));
  const forceRelease = fc.tuple(name, silent).map(([lock, isSilent]): Step => ({
    label: `${kind}.forceRelease ${lock}${isSilent ? ', silently' : ''}`,
    run: ({ backend }) => backend[kind].forceRelease({ name: lock, silent: isSilent }),
  }));
  const inspect = fc.tuple(name, fc.option(owner, { nil: undefined })).map(([lock, by]): Step => ({
    label: `${kind}.inspect ${lock} ${by}`,
    run: ({ backend }) => backend[kind].inspect(lock, by),
  }));
  return fc.oneof(
    { arbitrary: acquire, weight: 6 },
    { arbitrary: hold, weight: 5 },
    { arbitrary: release, weight: 4 },
    { arbitrary: renew, weight: 3 },
    { arbitrary: inspect, weight: 3 },
    { arbitrary: forceRelease, weight: 1 },
    { arbitrary: acquireShortly, weight: 1 },
  );
};

/** The operation that only fenced locks have. */
export const tokenSteps: fc.Arbitrary<Step> = lockName.map((lock): Step => ({
  label: `fencedLock.currentToken ${lock}`,
  run: ({ backend }) => backend.fencedLock.currentToken(lock),
}));
