import type { LockBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { Quorum } from '../backend/quorum/quorum.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerId, OwnerIds } from '../context/owner-ids.js';
import { LockAttempts, SharedLockAttempts } from '../waiting/lock-attempts.js';
import { HandOverAttempts, type HandOverLimits } from '../waiting/hand-over-attempts.js';
import { exponentialBackoff } from '../waiting/backoff.js';
import { FairAcquirer } from '../waiting/fair/fair-acquirer.js';
import { QueuedAcquirer } from '../waiting/queued-acquirer.js';
import { SpinAcquirer } from '../waiting/spin-acquirer.js';
import { LockOptionsError, LockOwnershipError } from '../errors.js';
import type { EndsByOthers } from '../holds/ends-by-others.js';
import type { DetachableKind } from '../holds/detaching/hold-token.js';
import type { Converting, Detaching, LockFamily, LockKind, ReenteredLock, SpinKind } from '../holds/lock-kind.js';
import type { ChosenKind, Limit, Owned, Replacing } from './options/kind.options.js';
import { WriterPreferenceAcquirer } from '../waiting/writer-preference-acquirer.js';
import { LimitAcquirers } from '../waiting/limit-acquirers.js';
import { lockChannel, readWriteLockChannel } from '../keys/redisson-keys.js';
import { type Drainable, drainAll, type WaitDependencies } from '../waiting/acquirer.js';
import { replacingAcquirer } from '../waiting/replacing-acquirer.js';
import { ChosenOwnerAcquirer } from '../waiting/chosen-owner-acquirer.js';

/** The read and write half, each also in a variant that prefers waiting writers to new readers. */
type ReadWriteKinds = Readonly<Record<'read' | 'write' | 'readBehindWriters' | 'writeFirst', LockKind>>;

/**
 * Creates the halves. Each has its own wait queue, because each waits for a different condition.
 * @param slot How long readers let a writer go first whose process has died, ms.
 */
const readWriteKinds = (
  { readLock, writeLock, conversion: operations }: Pick<LockBackend, 'readLock' | 'writeLock' | 'conversion'>,
  waiting: WaitDependencies,
  owners: OwnerIds,
  events: LockEvents,
  slot: number,
): ReadWriteKinds => {
  const behindWriters: Pick<typeof readLock, 'acquire' | 'release'> = {
    acquire: (request) => readLock.acquire({ ...request, behindWriters: true }),
    release: (request) => readLock.release(request),
  };
  const convertingTo = (half: keyof ReadWriteKinds): Converting => ({
    operations,
    owners,
    otherHalf: () => kinds[half],
  });
  const reads = (locks: typeof behindWriters): LockKind => ({
    name: 'read',
    family: 'read',
    operations: readLock,
    renewsLeases: true,
    acquirer: new QueuedAcquirer(new SharedLockAttempts(locks, owners, events), waiting, readWriteLockChannel),
  });
  const writes = { name: 'write', family: 'write', operations: writeLock } as const;
  const writeQueue = new QueuedAcquirer(new LockAttempts(writeLock, owners, events), waiting, readWriteLockChannel);
  const writerPreference = new WriterPreferenceAcquirer(writeLock, writeQueue, owners, events, { ...waiting, slot });
  const kinds: ReadWriteKinds = {
    read: { ...reads(readLock), converting: convertingTo('write') },
    write: { ...writes, acquirer: writeQueue, converting: convertingTo('read') },
    readBehindWriters: { ...reads(behindWriters), converting: convertingTo('writeFirst') },
    writeFirst: { ...writes, acquirer: writerPreference, converting: convertingTo('readBehindWriters') },
  };
  return kinds;
};

/** Kinds that are made when they are chosen, and whose callers wait together. */
interface KindsOf<Chosen> {
  readonly acquirer: Drainable;
  of(chosen: Chosen): LockKind;
}

/** The kinds of limits, of which up to `limit` owners hold a name at once. */
const limitKinds = (operations: LockBackend['limit'], acquirers: LimitAcquirers): KindsOf<Limit> => ({
  acquirer: acquirers,
  of: ({ limit, isFair, isNumbered }) => ({
    name: 'limit',
    family: 'limit',
    what: 'Limit',
    limit,
    operations,
    acquirer: acquirers.of({ limit, isNumbered }, isFair),
  }),
});

/**
 * The kinds of locks whose owners applications have chosen, made of those whose data they have. A lock that the caller may
 * have already is not handed over, and goes on without being detached. None of its holds shortens it, since others of its
 * owner believe in theirs.
 */
const ownedKinds = (
  plain: LockKind,
  fenced: LockKind,
  takeOver: LockBackend['takeOver'],
  waiting: WaitDependencies,
  endsByOthers: Pick<EndsByOthers, 'tell'>,
): KindsOf<Owned> => {
  const hold: LockOperations['hold'] = ({ name, owner, lease }) =>
    takeOver.detach({ kind: 'plain', name, from: owner, to: owner, lease });
  const madeOf = ({ name, family, operations: all }: LockKind): KindsOf<OwnerId> => {
    const acquirer = new ChosenOwnerAcquirer(all, waiting);
    // For the other holds of the owner, this one is ended by others. A fenced lock has the data of a plain one.
    const release: LockOperations['release'] = async (request) => {
      const outcome = await plain.operations.release(request);
      await endsByOthers.tell(request);
      return outcome;
    };
    const operations = Object.assign(Object.create(all) as LockOperations, { hold, release });
    return { acquirer, of: (owner) => ({ name, family, operations, owner, acquirer: acquirer.for(owner) }) };
  };
  const [ofPlain, ofFenced] = [madeOf(plain), madeOf(fenced)];
  return {
    acquirer: drainAll([ofPlain.acquirer, ofFenced.acquirer]),
    of: ({ owner, isFenced }) => (isFenced ? ofFenced : ofPlain).of(owner),
  };
};

/** The kinds of locks that their callers take over from their holders, made of those whose data they have. */
const replacingKinds = (
  kinds: Readonly<Record<Replacing['replaces'], LockKind>>,
  { owners, events, waiting, endsByOthers }: Pick<KindParts, 'owners' | 'events' | 'waiting' | 'endsByOthers'>,
): KindsOf<Replacing> => {
  const madeOf = (held: LockKind): LockKind => {
    const { handOver: _, ...kind } = held;
    const acquirer = replacingAcquirer(kind, owners, events, waiting, (name, work) =>
      endsByOthers.whileListening(name, work),
    );
    // Its process may not know yet that the lock was taken over, so nothing is handed over inside it.
    return { ...kind, acquirer, isReplaceable: true };
  };
  const made = { plain: madeOf(kinds.plain), fenced: madeOf(kinds.fenced) };
  return {
    acquirer: drainAll([made.plain.acquirer, made.fenced.acquirer]),
    of: ({ replaces }) => made[replaces],
  };
};

/** The lock kinds of one connection. */
export type LockKinds = Readonly<Record<'plain' | 'fair' | 'fenced' | 'group', LockKind>> &
  ReadWriteKinds & {
    readonly spin: SpinKind;
    readonly limit: KindsOf<Limit>;
    readonly owned: KindsOf<Owned>;
    readonly replacing: KindsOf<Replacing>;
    /** Only if independent masters are configured. */
    readonly quorum?: LockKind;
  };

/** The parts that the kinds of one connection are made of. */
interface KindParts {
  readonly backend: LockBackend;
  /** Independent masters, if configured. */
  readonly masters: Quorum | undefined;
  readonly waiting: WaitDependencies;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** How long the server keeps the place of a dead waiter in a queue, or the precedence of a dead writer, ms. */
  readonly fairWaitTimeout: number;
  readonly handOver: HandOverLimits;
  /** The name of the connection. */
  readonly connection: string;
  readonly endsByOthers: Pick<EndsByOthers, 'tell' | 'whileListening'>;
}

/** Re-entry check of kinds with tokens. @throws LockOwnershipError if the current hold has no token. */
const requireFence = ({ name, owner, acquired }: ReenteredLock): void => {
  if (acquired.fence !== undefined) return;
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
  connection,
  endsByOthers,
}: KindParts): LockKinds => {
  const detaching = (kind: DetachableKind): Detaching => ({ kind, connection, operations: backend.takeOver });
  const attempts = (operations: LockOperations): LockAttempts => new LockAttempts(operations, owners, events);
  const queuedKind = (
    name: LockKindName,
    family: LockFamily,
    operations: LockOperations,
    { channelOf = lockChannel, pubSub = waiting.pubSub } = {},
  ): LockKind => {
    const acquirer = new QueuedAcquirer(attempts(operations), { ...waiting, pubSub }, channelOf);
    return { name, family, operations, acquirer };
  };
  const plainQueue = new QueuedAcquirer(
    new HandOverAttempts(backend.lock, owners, events, handOver),
    waiting,
    lockChannel,
  );
  const { lock, fairLock, fencedLock, groupLock } = backend;
  const spinQueue = new QueuedAcquirer(new LockAttempts(lock, owners, events, true), waiting);
  const channelOfGroup = (name: string): string => lockChannel(partsOfGroupLock(name).group);
  const plain: LockKind = {
    name: 'reentrant',
    family: 'exclusive',
    operations: lock,
    acquirer: plainQueue,
    handOver: plainQueue,
    detaching: detaching('plain'),
  };
  const fenced: LockKind = {
    ...queuedKind('fenced', 'exclusive', fencedLock),
    detaching: detaching('fenced'),
    checkReentry: requireFence,
  };
  return {
    plain,
    fair: {
      name: 'fair',
      family: 'exclusive',
      operations: fairLock,
      detaching: detaching('fair'),
      acquirer: new FairAcquirer({
        ...waiting,
        locks: fairLock,
        owners,
        events,
        isGiven: handOver.max !== 0,
        slot: fairWaitTimeout,
      }),
    },
    spin: {
      name: 'spin',
      family: 'exclusive',
      operations: lock,
      silent: true,
      detaching: detaching('spin'),
      acquirer: new SpinAcquirer(spinQueue, exponentialBackoff()),
      handOver: spinQueue,
    },
    fenced,
    replacing: replacingKinds({ plain, fenced }, { owners, events, waiting, endsByOthers }),
    owned: ownedKinds(plain, fenced, backend.takeOver, waiting, endsByOthers),
    group: queuedKind('group', 'group', groupLock, { channelOf: channelOfGroup }),
    limit: limitKinds(
      backend.limit,
      new LimitAcquirers({ ...waiting, limits: backend.limit, owners, events, slot: fairWaitTimeout }),
    ),
    ...readWriteKinds(backend, waiting, owners, events, fairWaitTimeout),
    ...(masters && {
      quorum: {
        ...queuedKind('redLock', 'quorum', masters.lock, { pubSub: masters.pubSub }),
        readNodes: (name) => masters.lock.read(name),
      },
    }),
  };
};

const refuseReentry = ({ name, owner }: ReenteredLock): never => {
  throw new LockOwnershipError(
    `Lock "${name}" is not reentrant and the running code holds it already, as ${owner}: release it first, or use getLock()`,
    { lockName: name, details: { owner } },
  );
};

/**
 * The kind that options have chosen.
 * @throws LockOptionsError if it needs independent servers and none are configured.
 */
export const chosenKind = (kinds: LockKinds, chosen: ChosenKind): LockKind => {
  if (typeof chosen === 'object') {
    if ('limit' in chosen) return kinds.limit.of(chosen);
    return 'owner' in chosen ? kinds.owned.of(chosen) : kinds.replacing.of(chosen);
  }
  if (chosen === 'nonReentrant') return { ...kinds.plain, checkReentry: refuseReentry };
  if (chosen === 'nonReentrantFair') return { ...kinds.fair, checkReentry: refuseReentry };
  const kind = kinds[chosen];
  if (kind) return kind;
  throw new LockOptionsError(
    'kind "redLock" and getRedLock(name) need independent servers; give redLock: { nodes: [connection, connection, connection] } to the module, whose default connection has them',
    { details: { option: 'redLock' } },
  );
};
