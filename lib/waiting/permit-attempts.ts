import type { LockBackend } from '../backend/lock-backend.js';
import type { LockEvents } from '../events/lock-events.js';
import { newPermitIds, type PermitIds } from '../context/permit-ids.js';
import type { Stopwatch } from '../time/scheduler.js';
import { leaseSpent } from './lock-attempts.js';
import type { AttemptResult, AttemptStrategy, Busy, Take } from './attempt-strategy.js';
import { InFlight } from '../concurrency.js';

/** A request for several permits, all or none. */
export interface WantedPermits {
  readonly permits: number;
  /** Milliseconds from the grant; `Infinity`: until released. */
  readonly lease: number;
}

/** Takes from a number of permits. */
const takeFrom = (available: number): Take<number> => {
  let left = available;
  return (permits) => {
    left -= permits;
    return left >= 0;
  };
};

/** Permits acquired by one request. */
export interface AcquiredPermits {
  readonly ids: PermitIds;
  /** Started just before the command was sent. */
  readonly sent: Stopwatch;
  /** Granted lease, ms; `Infinity`: until released. */
  readonly lease: number;
  /** Permits left after that. */
  readonly available: number;
}

/** Attempts to acquire permits with ids and leases. A waiter does not block others that want fewer permits. */
export class PermitAttempts implements AttemptStrategy<WantedPermits, AcquiredPermits> {
  private readonly inFlight = new InFlight();

  constructor(
    private readonly semaphores: LockBackend['permitExpirableSemaphore'],
    private readonly events: LockEvents,
  ) {}

  /** Uses new ids for each attempt: one of unknown outcome is released by its ids, which must not affect the next. */
  attempt(name: string, wanted: WantedPermits): Promise<AttemptResult<AcquiredPermits>> {
    return this.inFlight.add(this.acquire(name, wanted));
  }

  undo(name: string, { ids }: AcquiredPermits): void {
    this.inFlight
      .add(this.semaphores.releaseAll(name, ids))
      .catch((error: unknown) =>
        this.events.emit({ type: 'permits-release-failed', lockName: name, permits: ids.length, error }),
      );
  }

  /** Only another attempt shows when the next permit expires. */
  outcomeAfterGrant(): undefined {}

  leftAfter({ available }: AcquiredPermits): Take<WantedPermits> {
    const take = takeFrom(available);
    return ({ permits }) => take(permits);
  }

  mayStillSucceed({ permits }: WantedPermits, { available = 0 }: Busy): boolean {
    return permits <= available;
  }

  settled(): Promise<void> {
    return this.inFlight.settled();
  }

  private async acquire(name: string, { permits, lease }: WantedPermits): Promise<AttemptResult<AcquiredPermits>> {
    const ids = newPermitIds(permits);
    const reply = await this.semaphores.acquire({ name, ids, lease });
    if (reply.outcome === 'busy') {
      const { available, isSet, remaining } = reply;
      return { available, isSet, remaining };
    }
    const acquired = { ids, sent: reply.sent, lease, available: reply.available };
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    throw spent;
  }
}

/** Permits taken from a semaphore. */
export interface TakenPermits {
  readonly permits: number;
  /** Permits left after that. */
  readonly available: number;
}

/** Attempts to take a number of permits. A waiter does not block others that want fewer permits. */
export class SemaphoreAttempts implements AttemptStrategy<number, TakenPermits> {
  private readonly inFlight = new InFlight();

  constructor(
    private readonly semaphores: LockBackend['semaphore'],
    private readonly events: LockEvents,
  ) {}

  attempt(name: string, permits: number): Promise<{ readonly got: TakenPermits } | Busy> {
    return this.inFlight.add(this.take(name, permits));
  }

  /** Only if the semaphore still exists: releasing permits must not recreate a deleted one. */
  undo(name: string, { permits }: TakenPermits): void {
    this.inFlight
      .add(this.semaphores.releaseIfExists(name, permits))
      .catch((error: unknown) => this.events.emit({ type: 'permits-release-failed', lockName: name, permits, error }));
  }

  /** Releases are announced, so a waiter that needs more than is left does not try before the next one. */
  outcomeAfterGrant({ available }: TakenPermits): Busy {
    return { available, isSet: true, remaining: -1 };
  }

  leftAfter({ available }: TakenPermits): Take<number> {
    return takeFrom(available);
  }

  mayStillSucceed(wanted: number, { available = 0 }: Busy): boolean {
    return wanted <= available;
  }

  settled(): Promise<void> {
    return this.inFlight.settled();
  }

  private async take(name: string, permits: number): Promise<{ readonly got: TakenPermits } | Busy> {
    const reply = await this.semaphores.take(name, permits);
    const { available } = reply;
    if (reply.outcome === 'taken') return { got: { permits, available } };
    return { available, isSet: reply.isSet, remaining: -1 };
  }
}
