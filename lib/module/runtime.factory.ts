import { absentBackend } from '../backend/unconfigured-backend.js';
import type { BackendWatcher } from '../backend/backend-watcher.js';
import type { LockBackend } from '../backend/lock-backend.js';
import { MemoryBackend } from '../backend/memory/memory-backend.js';
import { MemoryStore } from '../backend/memory/memory-store.js';
import { Quorum } from '../backend/quorum/quorum.js';
import { RedisBackend } from '../backend/redis/redis-backend.js';
import { RedisNode } from '../backend/redis/redlock-node.js';
import { openTransport } from '../backend/redis/transport.js';
import { latchChannel, semaphoreChannel } from '../keys/lock-name.js';
import { HTTP_ERRORS } from './http-errors.js';
import { LockEvents } from '../events/lock-events.js';
import { Companions } from '../reentrancy/companions.js';
import { Connections, DEFAULT_CONNECTION_NAME } from '../runtime/connection-registry.js';
import { Flights } from '../coordination/local-flights.js';
import { Grants } from '../holds/grant-registry.js';
import { createKinds } from '../locks/lock-kinds.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { PermitsOut } from '../synchronizers/permits-out.js';
import { Seats } from '../reentrancy/context-lock-state.js';
import { SharedErrors } from '../coordination/error-codec.js';
import { StartUpProbe } from './startup-probe.js';
import type { RedlockSettings } from './options/redlock.options.js';
import type { ConnectionSettings, LockSettings } from './options/settings.js';
import { OwnerIds } from '../context/ids.js';
import type { Scheduler } from '../time/scheduler.js';
import { SteadyScheduler } from '../time/monotonic-scheduler.js';
import { LatchLooks } from '../waiting/latch-attempts.js';
import { Line } from '../waiting/queued-acquirer.js';
import { PermitTries } from '../waiting/permit-attempts.js';
import { SemaphoreTries } from '../waiting/semaphore-tries.js';
import { settlingOf } from '../waiting/settling.js';
import { UnderWay } from '../concurrency/in-flight.js';
import { Watchdog } from '../watchdog/watchdog.js';

/** Polling while the subscription is down, ms. */
const DEAF_POLL_MS = 500;

/** The runtime of one connection, and the switch that ends it. */
export interface OwnedRuntime extends LockRuntime {
  readonly shutdownController: AbortController;
  /** Looks at the servers when the application starts. */
  readonly probe: StartUpProbe;
  /** Starts connecting, without waiting for it. */
  open(): void;
  /** Ends background work and closes all connections of ours, within `ms`. Never rejects. */
  close(ms: number): Promise<void>;
}

const createBackend = (
  { connection, absent, ...settings }: ConnectionSettings,
  scheduler: SteadyScheduler,
): LockBackend => {
  if (absent !== undefined) return absentBackend(absent);
  if (connection === undefined) return new MemoryBackend(new MemoryStore(scheduler), settings.fences);
  return new RedisBackend(openTransport(connection, settings, scheduler), settings, scheduler);
};

const createMasters = (
  { nodes, nodeTimeout, quorum }: RedlockSettings,
  { restartGuard, commandTimeout }: ConnectionSettings,
  scheduler: SteadyScheduler,
): Quorum => {
  // A node that is slow for once costs its vote, and is no news; one that is gone for longer is.
  const settings = { commandTimeout: nodeTimeout, missedAfter: Math.max(commandTimeout, nodeTimeout), restartGuard };
  const backends = [...nodes].map(
    ([address, connection]) => [address, new RedisNode(connection, settings, scheduler)] as const,
  );
  return new Quorum(new Map(backends), quorum, scheduler);
};

/**
 * Puts the parts of one connection together.
 * @param givenBackend Instead of the one that the settings name.
 */
export const createRuntime = (
  settings: ConnectionSettings,
  clock: Scheduler,
  givenBackend?: (scheduler: SteadyScheduler) => LockBackend,
): OwnedRuntime => {
  const events = new LockEvents();
  const scheduler = new SteadyScheduler(clock, (error) => events.emit({ type: 'unexpected', error }));
  const backend = givenBackend?.(scheduler) ?? createBackend(settings, scheduler);
  const masters = settings.redlock && createMasters(settings.redlock, settings, scheduler);
  const {
    fairWaitTimeout,
    handOver,
    safetyPoll,
    watchdogTimeout,
    keyPrefix,
    wait,
    maxQueue,
    maxHold,
    names,
    maxNames,
  } = settings;
  const polling = { safety: safetyPoll, deaf: Math.min(DEAF_POLL_MS, safetyPoll) };
  const waiting = { wakeUps: backend.wakeUps, scheduler, polling, maxQueue };
  const kinds = createKinds({ backend, masters, waiting, owners: new OwnerIds(), events, fairWaitTimeout, handOver });
  const semaphores = new Line(new SemaphoreTries(backend.semaphore, events), waiting, semaphoreChannel);
  const permitTries = new PermitTries(backend.permitExpirableSemaphore, events);
  const expirablePermits = new Line(permitTries, waiting, semaphoreChannel);
  const latches = new Line(new LatchLooks(backend.countDownLatch), waiting, latchChannel);
  const lines = Object.values(kinds).map(({ acquisitions }) => acquisitions);
  const watchdog = new Watchdog(scheduler, events, watchdogTimeout);
  const watcher: BackendWatcher = {
    returned: () => watchdog.checkAll(),
    clockJumped: (ms) => events.emit({ type: 'clock-jumped', ms }),
    gaveUp: ({ name, ...what }) => events.emit({ type: 'given-up', lockName: name, ...what }),
    unavailable: (outage) => events.emit({ type: 'unavailable', ...outage }),
    available: (recovery) => events.emit({ type: 'available', ...recovery }),
  };
  backend.watch(watcher);
  masters?.watch({ ...watcher, unavailable: (outage) => watcher.unavailable({ ...outage, affects: 'its-vote' }) });
  const probe = new StartUpProbe(settings, { backend, masters }, events, scheduler);
  const shutdownController = new AbortController();
  return {
    backend,
    scheduler,
    waiting,
    kinds,
    semaphores,
    expirablePermits,
    latches,
    acquisitions: settlingOf([...lines, semaphores, expirablePermits, latches]),
    watchdog,
    events,
    defaults: {
      keyPrefix,
      wait,
      maxHold,
      maxLease: settings.restartGuard || Number.POSITIVE_INFINITY,
      names,
      maxNames,
    },
    shutdown: shutdownController.signal,
    shutdownController,
    grants: new Grants(),
    permitsInUse: new UnderWay(),
    permitsOut: new PermitsOut(),
    flights: new Flights(new SharedErrors(HTTP_ERRORS)),
    seats: new Seats(),
    companions: new Companions(),
    probe,
    open: () => {
      backend.open();
      masters?.open();
    },
    close: async (ms) => {
      await Promise.all([probe.close(), backend.close(ms), masters?.close(ms)]);
      scheduler.deadlines.stop();
    },
  };
};

/** Puts the parts of all connections together. */
export const createConnections = (settings: LockSettings, clock: Scheduler): Connections<OwnedRuntime> => {
  const { others, ...base } = settings;
  const runtime = createRuntime(base, clock);
  const byName = new Map<string, OwnedRuntime>();
  // Where only others were given, nobody can ask for it.
  if (base.absent === undefined || others.size === 0) byName.set(DEFAULT_CONNECTION_NAME, runtime);
  for (const [name, place] of others) {
    byName.set(name, createRuntime({ ...base, ...place, redlock: undefined }, clock));
  }
  return new Connections(runtime, byName);
};
