import type { LockBackend } from './backend/lock-backend.js';
import { MemoryBackend } from './backend/memory/memory-backend.js';
import { MemoryStore } from './backend/memory/store.js';
import { RedisBackend } from './backend/redis/redis-backend.js';
import { LockEvents } from './observability/lock-events.js';
import { Grants } from './primitives/grants.js';
import type { LockRuntime } from './primitives/lock-runtime.js';
import { Seats } from './primitives/seats.js';
import type { LockSettings } from './redis-lock.options.js';
import { OwnerIds } from './scope/owner.js';
import type { Scheduler } from './time/scheduler.js';
import { SteadyScheduler } from './time/steady-scheduler.js';
import { Acquisitions } from './waiting/acquisition.js';
import { Attempts } from './waiting/attempt.js';
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
  const attempts = new Attempts(chosen, new OwnerIds(), events);
  const polling = { safety: settings.safetyPoll, deaf: Math.min(DEAF_POLL_MS, settings.safetyPoll) };
  const shutdownController = new AbortController();
  return {
    backend: chosen,
    scheduler,
    acquisitions: new Acquisitions(attempts, chosen.wakeUps, scheduler, polling),
    watchdog: new Watchdog(chosen.lock, scheduler, events, settings.watchdogTimeout),
    events,
    defaults: { keyPrefix: settings.keyPrefix, wait: settings.wait, names: settings.names },
    shutdown: shutdownController.signal,
    shutdownController,
    grants: new Grants(),
    seats: new Seats(),
  };
};
