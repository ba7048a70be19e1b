import type { LockBackend } from './backend/lock-backend.js';
import type { LockTransitions } from './backend/lock-transitions.js';
import { MemoryBackend } from './backend/memory/memory-backend.js';
import { MemoryStore } from './backend/memory/store.js';
import { Quorum } from './backend/quorum/quorum.js';
import { RedisBackend } from './backend/redis/redis-backend.js';
import { RedisNode } from './backend/redis/redis-node.js';
import { partsOfGroupLock } from './keys/group-field.js';
import { latchChannel, lockChannel, semaphoreChannel } from './keys/names.js';
import { LockEvents } from './observability/lock-events.js';
import { requireFence } from './primitives/fenced-lock.js';
import { Companions } from './primitives/companions.js';
import { Grants } from './primitives/grants.js';
import type { LockFamily, LockKind, LockKinds, QuorumKind, SpinKind } from './primitives/lock-kind.js';
import type { LockRuntime } from './primitives/lock-runtime.js';
import { readWriteKinds } from './primitives/read-write-kinds.js';
import { Seats } from './primitives/seats.js';
import type { LockSettings } from './redis-lock.options.js';
import type { RedlockSettings } from './redis-lock.redlock-options.js';
import { OwnerIds } from './scope/owner.js';
import type { Scheduler } from './time/scheduler.js';
import { SteadyScheduler } from './time/steady-scheduler.js';
import { Attempts } from './waiting/attempt.js';
import { exponentialBackoff } from './waiting/backoff.js';
import { LatchLooks } from './waiting/latch-looks.js';
import { FairQueue } from './waiting/fair-queue.js';
import { Line, type Waiting } from './waiting/line.js';
import { PermitTries } from './waiting/permit-tries.js';
import { SemaphoreTries } from './waiting/semaphore-tries.js';
import { Spin } from './waiting/spin.js';
import type { Acquisitions } from './waiting/tries.js';
import { UnderWay } from './waiting/under-way.js';
import { Watchdog } from './watchdog/watchdog.js';

/** Polling while the subscription is down, ms. */
const DEAF_POLL_MS = 500;

/** The runtime of one connection, and the switch that ends it. */
export interface OwnedRuntime extends LockRuntime {
  readonly shutdownController: AbortController;
  /** Starts connecting, without waiting for it. */
  open(): void;
  /** Ends background work within `graceMs` and closes all connections of ours. Never rejects. */
  close(graceMs: number): Promise<void>;
}

const openBackend = (settings: LockSettings, scheduler: SteadyScheduler): LockBackend =>
  settings.connection === undefined
    ? new MemoryBackend(new MemoryStore(scheduler), settings.fences)
    : new RedisBackend(settings.connection, settings.commandTimeout, scheduler, settings.fences);

/** @param slot Milliseconds for which the place of a dead waiter for a fair lock is kept. */
const createKinds = (
  backend: LockBackend,
  waiting: Waiting,
  owners: OwnerIds,
  events: LockEvents,
  slot: number,
): LockKinds => {
  const inLine = (family: LockFamily, transitions: LockTransitions, channelOf = lockChannel): LockKind => {
    const attempts = new Attempts(transitions, owners, events);
    return { family, transitions, acquisitions: new Line(attempts, waiting, channelOf) };
  };
  const spinning = (family: LockFamily, transitions: LockTransitions): SpinKind => {
    const attempts = new Attempts(transitions, owners, events);
    return { family, transitions, acquisitions: new Spin(new Line(attempts, waiting), exponentialBackoff()) };
  };
  return {
    plain: inLine('exclusive', backend.lock),
    fair: {
      family: 'exclusive',
      transitions: backend.fairLock,
      acquisitions: new FairQueue({ ...waiting, locks: backend.fairLock, owners, events, slot }),
    },
    spin: spinning('exclusive', backend.spinLock),
    fenced: { ...inLine('exclusive', backend.fencedLock), checkReentry: requireFence },
    group: inLine('group', backend.groupLock, (name) => lockChannel(partsOfGroupLock(name).group)),
    ...readWriteKinds(backend, waiting, owners, events),
  };
};

/** @param polling As for the locks of one server. */
const createQuorum = (
  { nodes, nodeTimeout, quorum }: RedlockSettings,
  { scheduler, polling }: Pick<Waiting, 'scheduler' | 'polling'>,
  owners: OwnerIds,
  events: LockEvents,
): QuorumKind => {
  const backends = [...nodes].map(
    ([address, connection]) => [address, new RedisNode(connection, nodeTimeout, scheduler)] as const,
  );
  const masters = new Quorum(new Map(backends), quorum, scheduler);
  const { lock: transitions, wakeUps } = masters;
  const attempts = new Attempts(transitions, owners, events);
  const acquisitions = new Line(attempts, { wakeUps, scheduler, polling }, lockChannel);
  return { family: 'quorum', transitions, acquisitions, nodes: masters };
};

type Settling = Pick<Acquisitions<never, unknown>, 'settled' | 'contended'>;

const allOf = (parts: readonly Settling[]): Settling => ({
  settled: async () => {
    await Promise.all(parts.map((part) => part.settled()));
  },
  get contended() {
    return parts.reduce((sum, part) => sum + part.contended, 0);
  },
});

/**
 * Puts the parts of one connection together.
 * @param backend Instead of the one that the settings name.
 */
export const createRuntime = (
  settings: LockSettings,
  clock: Scheduler,
  backend?: (scheduler: SteadyScheduler) => LockBackend,
): OwnedRuntime => {
  const events = new LockEvents();
  const scheduler = new SteadyScheduler(clock, (error) => events.emit({ type: 'unexpected', error }));
  const chosen = backend?.(scheduler) ?? openBackend(settings, scheduler);
  const polling = { safety: settings.safetyPoll, deaf: Math.min(DEAF_POLL_MS, settings.safetyPoll) };
  const waiting = { wakeUps: chosen.wakeUps, scheduler, polling };
  const owners = new OwnerIds();
  const quorum = settings.redlock && createQuorum(settings.redlock, waiting, owners, events);
  const kinds = {
    ...createKinds(chosen, waiting, owners, events, settings.fairWaitTimeout),
    ...(quorum && { quorum }),
  };
  const semaphores = new Line(new SemaphoreTries(chosen.semaphore, events), waiting, semaphoreChannel);
  const permitTries = new PermitTries(chosen.permitExpirableSemaphore, events);
  const expirablePermits = new Line(permitTries, waiting, semaphoreChannel);
  const latches = new Line(new LatchLooks(chosen.countDownLatch), waiting, latchChannel);
  const shutdownController = new AbortController();
  return {
    backend: chosen,
    scheduler,
    waiting,
    kinds,
    semaphores,
    expirablePermits,
    latches,
    acquisitions: allOf([
      ...Object.values(kinds).map(({ acquisitions }) => acquisitions),
      semaphores,
      expirablePermits,
      latches,
    ]),
    watchdog: new Watchdog(scheduler, events, settings.watchdogTimeout),
    events,
    defaults: { keyPrefix: settings.keyPrefix, wait: settings.wait, names: settings.names },
    shutdown: shutdownController.signal,
    shutdownController,
    open: () => {
      chosen.open();
      quorum?.nodes.open();
    },
    close: async (graceMs) => {
      await Promise.all([chosen.close(graceMs), quorum?.nodes.close(graceMs)]);
    },
    grants: new Grants(),
    permitsInUse: new UnderWay(),
    seats: new Seats(),
    companions: new Companions(),
  };
};
