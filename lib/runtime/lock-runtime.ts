import type { LockBackend } from '../backend/lock-backend.js';
import { validateName } from '../keys/lock-name.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { WaitDependencies } from '../waiting/queued-acquirer.js';
import type { OpenLatch } from '../waiting/latch-attempts.js';
import type { AcquiredPermits, WantedPermits, TakenPermits } from '../waiting/permit-attempts.js';
import type { Acquirer, Drainable } from '../waiting/acquirer.js';
import type { InFlight } from '../concurrency/in-flight.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { LocalFlights } from '../coordination/local-flights.js';
import type { GrantRegistry } from '../holds/grant-registry.js';
import type { LockKinds } from '../locks/lock-kinds.js';
import type { PermitsOut } from '../synchronizers/permits-out.js';
import type { ContextLockStates, ReadWritePairs } from '../reentrancy/context-lock-state.js';
import type { LockDefaults } from '../waiting/acquire.options.js';

/** @throws LockNameError */
export const fullName = (name: string, { keyPrefix, names }: LockDefaults): string => {
  // Nothing becomes a name by its prefix alone.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
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
