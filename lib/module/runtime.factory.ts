import type { BackendListener, ServerHealth } from '../backend/backend-listener.js';
import { type LockBackend, unconfiguredBackend } from '../backend/lock-backend.js';
import type { LockOperations } from '../backend/lock-operations.js';
import { OwnerIds } from '../context/owner-ids.js';
import type { HeldLock } from '../deadlock/blocked-hold.js';
import { DeadlockWatch } from '../deadlock/deadlock-watch.js';
import { LockOrder } from '../deadlock/lock-order.js';
import { LockEvents } from '../events/lock-events.js';
import type { LockFamily } from '../holds/lock-kind.js';
import type { NestingServices } from '../reentrancy/requested-hold.js';
import { MonotonicScheduler, type Scheduler } from '../time/scheduler.js';
import { renewalWorker } from './renewal-worker.factory.js';
import type { ConnectionSettings, LockSettings } from './options/lock-settings.js';
import { RedisBackend } from '../backend/redis-backend.js';
import { makeMasters } from '../backend/red-lock-node.js';
import { openTransport } from '../backend/transport.js';
import { ConnectionRegistry } from '../runtime/connection-registry.js';
import { DEFAULT_CONNECTION_NAME } from '../locks/options/connection-choice.js';
import { LocalFlights } from '../coordination/local-flights.js';
import { EndsByOthers } from '../holds/ends-by-others.js';
import { GrantRegistry } from '../holds/grant-registry.js';
import { RecordedGrants } from '../holds/recorded-grants.js';
import { createKinds } from '../locks/lock-kinds.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { PermitsOut } from '../synchronizers/granted-permit.js';
import { ContextLockStates, ReadWritePairs } from '../reentrancy/context-lock-state.js';
import { type ErrorClass, ErrorCodec } from '../coordination/error-codec.js';
import { StartupProbe } from './startup-probe.js';
import { LatchAttempts } from '../waiting/latch-attempts.js';
import { QueuedAcquirer } from '../waiting/queued-acquirer.js';
import { PermitAttempts, SemaphoreAttempts } from '../waiting/permit-attempts.js';
import { drainAll } from '../waiting/acquirer.js';
import { InFlight } from '../concurrency.js';
import { Watchdog } from '../watchdog/watchdog.js';
import { latchChannel, semaphoreChannel } from '../keys/redisson-keys.js';

interface Parts {
  readonly backend: LockBackend;
  /** Independent masters, if configured. */
  readonly masters: { readonly lock: LockOperations } | undefined;
  readonly scheduler: MonotonicScheduler;
  readonly owners: OwnerIds;
  readonly events: LockEvents;
  /** The name of the connection. */
  readonly connection: string;
}

/** Observers of callers on one connection that hold locks and acquire others, as far as the settings want them. */
const deadlockServices = (
  { deadlocks, lockOrder, target }: ConnectionSettings,
  { backend, masters, scheduler, owners: { clientId }, events, connection }: Parts,
): Pick<NestingServices, 'deadlocks' | 'lockOrder'> => {
  const operations: Readonly<Record<LockFamily, Pick<LockOperations, 'inspect'> | undefined>> = {
    exclusive: backend.lock,
    read: backend.readLock,
    write: backend.writeLock,
    quorum: masters?.lock,
    group: backend.groupLock,
    limit: backend.limit,
  };
  const isHeld = async ({ family, name, owner }: HeldLock): Promise<boolean> =>
    ((await operations[family]?.inspect(name, owner))?.count ?? 0) > 0;
  const records = backend.blockedHolds;
  // Without a server of its own, a connection has no place for records.
  const isWatched = deadlocks === 'detect' && target.kind !== 'none';
  return {
    deadlocks: isWatched ? new DeadlockWatch({ scheduler, events, records, clientId, isHeld }) : undefined,
    lockOrder: lockOrder === 'off' ? undefined : new LockOrder(events, connection, lockOrder),
  };
};

/** Poll interval while the subscription is down, ms. */
const UNSUBSCRIBED_POLL_MS = 500;

/** The runtime of one connection, and the controls that start and stop it. */
export interface OwnedRuntime extends LockRuntime {
  readonly shutdownController: AbortController;
  /** Checks the servers when the application starts. */
  readonly probe: StartupProbe;
  /** How many nodes of a RedLock must be up; `undefined`: there are none. */
  readonly quorum: number | undefined;
  /** Asks every server whether it answers within `ms`; empty if there is none. Never rejects. */
  check(ms: number): Promise<readonly ServerHealth[]>;
  /** Starts connecting, without waiting for it. */
  open(): void;
  /** Ends background work and closes the library's own connections, within `ms`. Never rejects. */
  close(ms: number): Promise<void>;
}

/** Creates the backend of a connection. */
type BackendFactory = (settings: ConnectionSettings, scheduler: MonotonicScheduler) => LockBackend;

const redisBackend: BackendFactory = ({ target, ...settings }, scheduler) => {
  if (target.kind === 'none') return unconfiguredBackend(target.reason);
  if (target.kind === 'memory') throw new Error('Memory was not loaded for a connection that names it');
  return new RedisBackend(openTransport(target.servers, settings, scheduler), settings, scheduler);
};

/**
 * Assembles the services of one connection.
 * @param connection Its name.
 * @param errors Classes of errors that the owner of a shared result may throw in another process.
 */
export const createRuntime = (
  settings: ConnectionSettings,
  clock: Scheduler,
  createBackend: BackendFactory = redisBackend,
  connection = DEFAULT_CONNECTION_NAME,
  errors: readonly ErrorClass[] = [],
): OwnedRuntime => {
  const events = new LockEvents();
  const scheduler = new MonotonicScheduler(clock, (error) => events.emit({ type: 'unexpected', error }));
  const backend = createBackend(settings, scheduler);
  const masters = settings.redLock && makeMasters(settings.redLock, settings, scheduler);
  const {
    commandTimeout,
    fairWaitTimeout,
    handOver,
    safetyPoll,
    renewedLease,
    keyPrefix,
    wait,
    releasesInBackground,
    maxQueue,
    maxHold,
    names,
    maxNames,
  } = settings;
  const polling = { subscribed: safetyPoll, unsubscribed: Math.min(UNSUBSCRIBED_POLL_MS, safetyPoll) };
  const waiting = { pubSub: backend.pubSub, scheduler, polling, commandTimeout, maxQueue };
  const owners = new OwnerIds();
  const probe = new StartupProbe(settings, { backend, masters }, events, scheduler);
  const endsByOthers = new EndsByOthers({
    pubSub: backend.pubSub,
    inspection: backend.inspection,
    scheduler,
    events,
    clientId: owners.clientId,
    server: probe,
  });
  const kinds = createKinds({
    backend,
    masters,
    waiting,
    owners,
    events,
    fairWaitTimeout,
    handOver,
    connection,
    endsByOthers,
  });
  const semaphores = new QueuedAcquirer(new SemaphoreAttempts(backend.semaphore, events), waiting, semaphoreChannel);
  const permitAttempts = new PermitAttempts(backend.permitExpirableSemaphore, events);
  const expirablePermits = new QueuedAcquirer(permitAttempts, waiting, semaphoreChannel);
  const latches = new QueuedAcquirer(new LatchAttempts(backend.countDownLatch), waiting, latchChannel);
  const lines = Object.values(kinds).map(({ acquirer }) => acquirer);
  const thread = renewalWorker(settings, clock, { backend, masters, scheduler, events });
  const watchdog = new Watchdog(scheduler, events, renewedLease, thread);
  const listener: BackendListener = {
    reconnected: () => watchdog.checkAll(),
    clockJumped: (ms) => events.emit({ type: 'clock-jumped', ms }),
    gaveUp: ({ name, ...what }) => events.emit({ type: 'given-up', lockName: name, ...what }),
    unavailable: (outage) => events.emit({ type: 'unavailable', ...outage }),
    available: (recovery) => events.emit({ type: 'available', ...recovery }),
  };
  backend.watch(listener);
  masters?.watch({ ...listener, unavailable: (outage) => listener.unavailable({ ...outage, affects: 'its-vote' }) });
  const shutdownController = new AbortController();
  const nesting = deadlockServices(settings, { backend, masters, scheduler, owners, events, connection });
  return {
    connection,
    backend,
    scheduler,
    owners,
    kinds,
    semaphores,
    expirablePermits,
    latches,
    acquirer: drainAll([...lines, semaphores, expirablePermits, latches]),
    watchdog,
    events,
    defaults: {
      keyPrefix,
      wait,
      releasesInBackground,
      renewedLease,
      maxHold,
      maxLease: settings.restartGuard || Number.POSITIVE_INFINITY,
      names,
      maxNames,
    },
    shutdown: shutdownController.signal,
    shutdownController,
    grants: settings.holderRecords
      ? new RecordedGrants(backend.inspection, events, settings.holderRecords, scheduler)
      : new GrantRegistry(),
    endsByOthers,
    attaching: new InFlight(),
    permitsInUse: new InFlight(),
    permitsOut: new PermitsOut(),
    flights: new LocalFlights(new ErrorCodec(errors)),
    contextLockStates: new ContextLockStates(),
    readWritePairs: new ReadWritePairs(),
    ...nesting,
    probe,
    quorum: settings.redLock?.quorum,
    check: async (ms) => (await Promise.all([backend.check(ms), masters?.check(ms) ?? []])).flat(),
    open: () => {
      backend.open();
      masters?.open();
      thread?.open();
    },
    close: async (ms) => {
      nesting.deadlocks?.stop();
      await Promise.all([probe.close(), thread?.close(), backend.close(ms), masters?.close(ms)]);
      scheduler.deadlines.stop();
    },
  };
};

/** Assembles the services of one connection, by its name. */
type RuntimeFactory = (settings: ConnectionSettings, clock: Scheduler, connection: string) => OwnedRuntime;

/** Memory, with the translated scripts, is loaded only for a connection that names it. */
export const loadRuntimes = async (
  { target, others }: LockSettings,
  errors?: readonly ErrorClass[],
): Promise<RuntimeFactory> => {
  const targets = [target, ...[...others.values()].map((other) => other.target)];
  const memory = targets.some(({ kind }) => kind === 'memory')
    ? await import('../backend/memory/memory-backend.js')
    : undefined;
  return (settings, clock, connection) => {
    const createBackend = settings.target.kind === 'memory' ? memory?.memoryBackend : undefined;
    return createRuntime(settings, clock, createBackend, connection, errors);
  };
};

/** Assembles the services of all connections. */
export const createConnections = (
  settings: LockSettings,
  clock: Scheduler,
  create: RuntimeFactory,
): ConnectionRegistry<OwnedRuntime> => {
  const { others, ...base } = settings;
  const runtime = create(base, clock, DEFAULT_CONNECTION_NAME);
  const byName = new Map<string, OwnedRuntime>();
  // If only other connections were given, there is no `default` to ask for.
  if (base.target.kind !== 'none' || others.size === 0) byName.set(DEFAULT_CONNECTION_NAME, runtime);
  for (const [name, target] of others) {
    byName.set(name, create({ ...base, ...target, redLock: undefined }, clock, name));
  }
  return new ConnectionRegistry(runtime, byName);
};
