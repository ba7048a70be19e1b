import type { LockBackend } from '../backend/lock-backend.js';
import { LockOptionsError } from '../errors.js';
import { type NameLimits, validateName } from '../keys/lock-name.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { WaitDependencies } from '../waiting/queued-acquirer.js';
import type { OpenLatch } from '../waiting/latch-attempts.js';
import type { AcquiredPermits, WantedPermits } from '../waiting/permit-attempts.js';
import type { TakenPermits } from '../waiting/semaphore-tries.js';
import type { Drainable } from '../waiting/settling.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { InFlight } from '../concurrency/in-flight.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { ReadWritePairs } from '../reentrancy/companions.js';
import type { LocalFlights } from '../coordination/local-flights.js';
import type { GrantRegistry } from '../holds/grant-registry.js';
import type { LockKinds } from '../locks/lock-kinds.js';
import type { PermitsOut } from '../synchronizers/permits-out.js';
import type { ContextLockStates } from '../reentrancy/context-lock-state.js';

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
  readonly scheduler: MonotonicScheduler;
  readonly waiting: WaitDependencies;
  readonly kinds: LockKinds;
  /** How permits are taken from semaphores. Wanted is their number. */
  readonly semaphores: Acquirer<number, TakenPermits>;
  /** How permits are taken that have ids and leases. */
  readonly expirablePermits: Acquirer<WantedPermits, AcquiredPermits>;
  /** How open latches are waited for. */
  readonly latches: Acquirer<undefined, OpenLatch>;
  /** Everything that is being acquired, of whatever kind. */
  readonly acquirer: Drainable;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  readonly defaults: LockDefaults;
  /** Aborts when the application shuts down: nobody new gets in, nobody goes on waiting. */
  readonly shutdown: AbortSignal;
  /** Everything that is held now. */
  readonly grants: GrantRegistry;
  /** Work that runs with permits of a semaphore and gives them back at its end. */
  readonly permitsInUse: InFlight;
  /** Permits with ids that were granted here. */
  readonly permitsOut: PermitsOut;
  /** Results that are being made. */
  readonly flights: LocalFlights;
  readonly contextLockStates: ContextLockStates;
  readonly readWritePairs: ReadWritePairs;
}
