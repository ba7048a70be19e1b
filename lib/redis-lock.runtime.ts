import type { LockBackend } from './backend/lock-backend.js';
import type { LockTransitions } from './backend/lock-transitions.js';
import { MemoryBackend } from './backend/memory/memory-backend.js';
import { MemoryStore } from './backend/memory/store.js';
import { RedisBackend } from './backend/redis/redis-backend.js';
import { lockChannel } from './keys/names.js';
import { LockEvents } from './observability/lock-events.js';
import { Grants } from './primitives/grants.js';
import type { LockFamily, LockKind, LockKinds } from './primitives/lock-kind.js';
import type { LockRuntime } from './primitives/lock-runtime.js';
import { Seats } from './primitives/seats.js';
import type { LockSettings } from './redis-lock.options.js';
import { OwnerIds } from './scope/owner.js';
import type { Scheduler } from './time/scheduler.js';
import { SteadyScheduler } from './time/steady-scheduler.js';
import { Attempts } from './waiting/attempt.js';
import { Line, type Waiting } from './waiting/line.js';
import type { Acquisitions } from './waiting/tries.js';
import { Watchdog } from './watchdog/watchdog.js';

/** Polling while the subscription is down, ms. */
const DEAF_POLL_MS = 500;

/** The runtime of one connection, and the switch that ends it. */
export interface OwnedRuntime extends LockRuntime {
  readonly shutdownController: AbortController;
}

const openBackend = (settings: LockSettings, scheduler: SteadyScheduler): LockBackend =>
  settings.connection === undefined
    ? new MemoryBackend(new MemoryStore(scheduler))
    : new RedisBackend(settings.connection, settings.commandTimeout, scheduler);

const createKinds = (backend: LockBackend, waiting: Waiting, owners: OwnerIds, events: LockEvents): LockKinds => {
  const inLine = (family: LockFamily, transitions: LockTransitions): LockKind => {
    const attempts = new Attempts(transitions, owners, events);
    return { family, transitions, acquisitions: new Line(attempts, waiting, lockChannel) };
  };
  return {
    plain: inLine('exclusive', backend.lock),
    spin: inLine('exclusive', backend.spinLock),
  };
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
  const kinds = createKinds(chosen, waiting, owners, events);
  const shutdownController = new AbortController();
  return {
    backend: chosen,
    scheduler,
    waiting,
    kinds,
    acquisitions: allOf(Object.values(kinds).map(({ acquisitions }) => acquisitions)),
    watchdog: new Watchdog(scheduler, events, settings.watchdogTimeout),
    events,
    defaults: { keyPrefix: settings.keyPrefix, wait: settings.wait, names: settings.names },
    shutdown: shutdownController.signal,
    shutdownController,
    grants: new Grants(),
    seats: new Seats(),
  };
};
