import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { Quorum } from '../backend/quorum/quorum.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { HandOverAttempts, type HandOverLimits } from '../waiting/hand-over-attempts.js';
import { LockAttempts, SharedLockAttempts } from '../waiting/lock-attempts.js';
import { exponentialBackoff } from '../waiting/backoff.js';
import { FairAcquirer } from '../waiting/fair/fair-acquirer.js';
import { QueuedAcquirer } from '../waiting/queued-acquirer.js';
import { SpinAcquirer } from '../waiting/spin-acquirer.js';
import { LockOwnershipError } from '../errors.js';
import type { LockFamily, LockKind, ReenteredLock, SpinKind } from '../holds/lock-kind.js';
import { WriterPreferenceAcquirer } from '../waiting/writer-preference-acquirer.js';
import { lockChannel, readWriteLockChannel } from '../keys/redisson-keys.js';
import { type WaitDependencies } from '../waiting/acquirer.js';

/** The read and write half, each also in a variant that prefers waiting writers to new readers. */
export type ReadWriteKinds = Readonly<Record<'read' | 'write' | 'readBehindWriters' | 'writeFirst', LockKind>>;

/** Creates the halves. Each has its own wait queue, because each waits for a different condition. */
export const readWriteKinds = (
  { readLock, writeLock }: Pick<LockBackend, 'readLock' | 'writeLock'>,
  waiting: WaitDependencies,
  owners: OwnerIds,
  events: LockEvents,
): ReadWriteKinds => {
  const behindWriters: Pick<typeof readLock, 'acquire' | 'release'> = {
    acquire: (request) => readLock.acquire({ ...request, behindWriters: true }),
    release: (request) => readLock.release(request),
  };
  const reads = (locks: typeof behindWriters): LockKind => ({
    family: 'read',
    operations: readLock,
    renewsLeases: true,
    acquirer: new QueuedAcquirer(new SharedLockAttempts(locks, owners, events), waiting, readWriteLockChannel),
  });
  const writes = { family: 'write', operations: writeLock } as const;
  const writeQueue = new QueuedAcquirer(new LockAttempts(writeLock, owners, events), waiting, readWriteLockChannel);
  return {
    read: reads(readLock),
    write: { ...writes, acquirer: writeQueue },
    readBehindWriters: reads(behindWriters),
    writeFirst: { ...writes, acquirer: new WriterPreferenceAcquirer(writeLock, writeQueue, owners, events, waiting) },
  };
};

/** The lock kinds of one connection. */
export type LockKinds = Readonly<Record<'plain' | 'fair' | 'fenced' | 'group', LockKind>> &
  ReadWriteKinds & {
    readonly spin: SpinKind;
    /** Only if independent masters are configured. */
    readonly quorum?: LockKind;
  };

/** The parts that the kinds of one connection are made of. */
export interface KindParts {
  readonly backend: LockBackend;
  /** Independent masters, if configured. */
  readonly masters: Quorum | undefined;
  readonly waiting: WaitDependencies;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** How long a fair lock keeps the queue position of a dead waiter, ms. */
  readonly fairWaitTimeout: number;
  readonly handOver: HandOverLimits;
}

/** Re-entry check of kinds with tokens. @throws LockOwnershipError if the current hold has no token. */
const requireFence = ({ name, owner, fence }: ReenteredLock): void => {
  if (fence !== undefined) return;
  throw new LockOwnershipError(
    `Lock "${name}" is held by the running code without a fencing token, as ${owner}: acquire it with getFencedLock() in the outer call`,
    { lockName: name, details: { owner } },
  );
};

/** Creates every kind: the operations that change its state, and the acquirer that waits for it. */
export const createKinds = ({
  backend,
  masters,
  waiting,
  owners,
  events,
  fairWaitTimeout,
  handOver,
}: KindParts): LockKinds => {
  const attempts = (operations: LockOperations): LockAttempts => new LockAttempts(operations, owners, events);
  const queuedKind = (
    family: LockFamily,
    operations: LockOperations,
    { channelOf = lockChannel, pubSub = waiting.pubSub } = {},
  ): LockKind => {
    const acquirer = new QueuedAcquirer(attempts(operations), { ...waiting, pubSub }, channelOf);
    return { family, operations, acquirer };
  };
  const plainQueue = new QueuedAcquirer(
    new HandOverAttempts(backend.lock, owners, events, handOver),
    waiting,
    lockChannel,
  );
  const { lock, fairLock, fencedLock, groupLock } = backend;
  const spinQueue = new QueuedAcquirer(new LockAttempts(lock, owners, events, true), waiting);
  const channelOfGroup = (name: string): string => lockChannel(partsOfGroupLock(name).group);
  return {
    plain: { family: 'exclusive', operations: lock, acquirer: plainQueue, handOver: plainQueue },
    fair: {
      family: 'exclusive',
      operations: fairLock,
      acquirer: new FairAcquirer({
        ...waiting,
        locks: fairLock,
        owners,
        events,
        isGiven: handOver.max > 0,
        slot: fairWaitTimeout,
      }),
    },
    spin: {
      family: 'exclusive',
      operations: lock,
      silent: true,
      acquirer: new SpinAcquirer(spinQueue, exponentialBackoff()),
      handOver: spinQueue,
    },
    fenced: { ...queuedKind('exclusive', fencedLock), checkReentry: requireFence },
    group: queuedKind('group', groupLock, { channelOf: channelOfGroup }),
    ...readWriteKinds(backend, waiting, owners, events),
    ...(masters && { quorum: queuedKind('quorum', masters.lock, { pubSub: masters.pubSub }) }),
  };
};
