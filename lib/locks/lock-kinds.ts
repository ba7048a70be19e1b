import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { Quorum } from '../backend/quorum/quorum.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import { lockChannel } from '../keys/lock-name.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerIds } from '../context/ids.js';
import { LockAttempts } from '../waiting/lock-attempts.js';
import { exponentialBackoff } from '../waiting/backoff.js';
import { FairAcquirer } from '../waiting/fair/fair-acquirer.js';
import { type HandOverLimits, HandOverAttempts } from '../waiting/hand-over.js';
import { QueuedAcquirer, type WaitDependencies } from '../waiting/queued-acquirer.js';
import { SpinAcquirer } from '../waiting/spin-acquirer.js';
import { requireFence } from './fenced-lock.js';
import type { LockFamily, LockKind, SpinKind } from '../holds/lock-kind.js';
import { type ReadWriteKinds, readWriteKinds } from './read-write-kinds.js';

/** The kinds that every connection has. */
export type LockKinds = Readonly<Record<'plain' | 'fair' | 'fenced' | 'group', LockKind>> &
  ReadWriteKinds & {
    readonly spin: SpinKind;
    /** Only where independent masters are configured. */
    readonly quorum?: LockKind;
  };

/** What the kinds of one connection are made of. */
export interface KindParts {
  readonly backend: LockBackend;
  /** Independent masters, where there are such. */
  readonly masters: Quorum | undefined;
  readonly waiting: WaitDependencies;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** Milliseconds for which the place of a dead waiter for a fair lock is kept. */
  readonly fairWaitTimeout: number;
  readonly handOver: HandOverLimits;
}

/** How each kind changes its state, and how it is waited for. */
export const createKinds = ({
  backend,
  masters,
  waiting,
  owners,
  events,
  fairWaitTimeout,
  handOver,
}: KindParts): LockKinds => {
  const attempts = (transitions: LockOperations): LockAttempts => new LockAttempts(transitions, owners, events);
  const inLine = (
    family: LockFamily,
    operations: LockOperations,
    { channelOf = lockChannel, wakeUps: pubSub = waiting.pubSub } = {},
  ): LockKind => {
    const acquirer = new QueuedAcquirer(attempts(operations), { ...waiting, pubSub }, channelOf);
    return { family, operations, acquirer };
  };
  const plainLine = new QueuedAcquirer(
    new HandOverAttempts(backend.lock, owners, events, handOver),
    waiting,
    lockChannel,
  );
  const { lock, spinLock, fairLock, fencedLock, groupLock } = backend;
  const spinLine = new QueuedAcquirer(attempts(spinLock), waiting);
  const channelOfGroup = (name: string): string => lockChannel(partsOfGroupLock(name).group);
  return {
    plain: { family: 'exclusive', operations: lock, acquirer: plainLine, handOver: plainLine },
    fair: {
      family: 'exclusive',
      operations: fairLock,
      acquirer: new FairAcquirer({ ...waiting, locks: fairLock, owners, events, slot: fairWaitTimeout }),
    },
    spin: {
      family: 'exclusive',
      operations: spinLock,
      acquirer: new SpinAcquirer(spinLine, exponentialBackoff()),
      handOver: spinLine,
    },
    fenced: { ...inLine('exclusive', fencedLock), checkReentry: requireFence },
    group: inLine('group', groupLock, { channelOf: channelOfGroup }),
    ...readWriteKinds(backend, waiting, owners, events),
    ...(masters && { quorum: inLine('quorum', masters.lock, { wakeUps: masters.wakeUps }) }),
  };
};
