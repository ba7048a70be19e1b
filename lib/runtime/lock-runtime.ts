import type { LockBackend } from '../backend/lock-backend.js';
import { LockOptionsError } from '../errors.js';
import { type NameLimits, validateName } from '../keys/lock-name.js';
import type { LockEvents } from '../events/lock-events.js';
import type { SteadyScheduler } from '../time/monotonic-scheduler.js';
import type { Waiting } from '../waiting/queued-acquirer.js';
import type { OpenLatch } from '../waiting/latch-attempts.js';
import type { AcquiredPermits, WantedPermits } from '../waiting/permit-attempts.js';
import type { TakenPermits } from '../waiting/semaphore-tries.js';
import type { Settling } from '../waiting/settling.js';
import type { Acquisitions } from '../waiting/acquirer.js';
import type { UnderWay } from '../concurrency/in-flight.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { Companions } from '../reentrancy/companions.js';
import type { Flights } from '../coordination/local-flights.js';
import type { Grants } from '../holds/grant-registry.js';
import type { LockKinds } from '../locks/lock-kinds.js';
import type { PermitsOut } from '../synchronizers/permits-out.js';
import type { Seats } from '../reentrancy/context-lock-state.js';

/** What a lock does where its caller said nothing. */
export interface LockDefaults {
  /** Put before every name, ours and Redisson's alike. */
  readonly keyPrefix: string;
  /** Milliseconds an acquirer waits; may be `Infinity`. */
  readonly wait: number;
  /** Milliseconds for which the watchdog keeps a hold at the most; may be `Infinity`. */
  readonly maxHold: number;
  /** The longest lease that is safe here, ms; may be `Infinity`. */
  readonly maxLease: number;
  readonly names: NameLimits;
  /** How many names one call may lock. */
  readonly maxNames: number;
}

/** @throws LockNameError */
export const fullName = (name: string, { keyPrefix, names }: LockDefaults): string => {
  // Nothing becomes a name by its prefix alone.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
};

/** @throws LockOptionsError where the restart guard would end before the lease does. */
export const checkLease = (lease: number | undefined, { maxLease }: LockDefaults): void => {
  if (lease === undefined || lease <= maxLease) return;
  const why = `the restart guard covers ${maxLease} ms; give the module a restartGuard as long as the longest lease`;
  throw new LockOptionsError(`lease must not be ${lease} ms: ${why}`, { details: { option: 'lease', value: lease } });
};

/** What all locks of one connection share. Two connections are two owners, also for the same name. */
export interface LockRuntime {
  readonly backend: LockBackend;
  readonly scheduler: SteadyScheduler;
  readonly waiting: Waiting;
  readonly kinds: LockKinds;
  /** How permits are taken from semaphores. Wanted is their number. */
  readonly semaphores: Acquisitions<number, TakenPermits>;
  /** How permits are taken that have ids and leases. */
  readonly expirablePermits: Acquisitions<WantedPermits, AcquiredPermits>;
  /** How open latches are waited for. */
  readonly latches: Acquisitions<undefined, OpenLatch>;
  /** Everything that is being acquired, of whatever kind. */
  readonly acquisitions: Settling;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  readonly defaults: LockDefaults;
  /** Aborts when the application shuts down: nobody new gets in, nobody goes on waiting. */
  readonly shutdown: AbortSignal;
  /** Everything that is held now. */
  readonly grants: Grants;
  /** Work that runs with permits of a semaphore and gives them back at its end. */
  readonly permitsInUse: UnderWay;
  /** Permits with ids that were granted here. */
  readonly permitsOut: PermitsOut;
  /** Results that are being made. */
  readonly flights: Flights;
  readonly seats: Seats;
  readonly companions: Companions;
}
