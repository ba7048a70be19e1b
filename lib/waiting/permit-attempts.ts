import type { PermitOperations } from '../backend/permit-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import { newPermitIds, type PermitIds } from '../context/ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import { leaseSpent } from './lock-attempts.js';
import type { Busy, Result, AttemptStrategy } from './acquirer.js';
import { InFlight } from '../concurrency/in-flight.js';
import type { SemaphoreOperations } from '../backend/counter-operations.js';

/** As many permits as are wanted together, or none. */
export interface WantedPermits {
  readonly permits: number;
  /** Milliseconds from the grant; `Infinity`: until they are released. */
  readonly lease: number;
}

/** Permits that were taken together. */
export interface AcquiredPermits {
  readonly ids: PermitIds;
  /** Started just before the command left. */
  readonly sent: Stopwatch;
  /** Milliseconds that the server granted; `Infinity`: until they are released. */
  readonly lease: number;
}

/** One try at a time to take permits that have ids and leases. Nobody stands in the way of who wants fewer. */
export class PermitAttempts implements AttemptStrategy<WantedPermits, AcquiredPermits> {
  private readonly underWay = new InFlight();

  constructor(
    private readonly semaphores: PermitOperations,
    private readonly events: LockEvents,
  ) {}

  /** Under ids that no other try ever uses: one of unknown outcome is undone by its ids, which must not touch the next. */
  attempt(name: string, wanted: WantedPermits): Promise<Result<AcquiredPermits>> {
    return this.underWay.add(this.acquire(name, wanted));
  }

  undo(name: string, { ids }: AcquiredPermits): void {
    this.underWay
      .add(this.semaphores.releaseAll(name, ids))
      .catch((error: unknown) =>
        this.events.emit({ type: 'permits-release-failed', lockName: name, permits: ids.length, error }),
      );
  }

  /** How soon the next permit comes back by itself, only a try can tell. */
  outcomeAfterGrant(): undefined {}

  mayStillSucceed({ permits }: WantedPermits, { available = 0 }: Busy): boolean {
    return permits <= available;
  }

  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private async acquire(name: string, { permits, lease }: WantedPermits): Promise<Result<AcquiredPermits>> {
    const ids = newPermitIds(permits);
    const reply = await this.semaphores.acquire({ name, ids, lease });
    if (reply.outcome === 'busy') {
      const { available, isSet, remaining } = reply;
      return { available, isSet, remaining };
    }
    const acquired = { ids, sent: reply.sent, lease };
    const spent = leaseSpent(name, acquired);
    if (!spent) return { got: acquired };
    this.undo(name, acquired);
    throw spent;
  }
}

/** Permits that were taken from a semaphore. */
export interface TakenPermits {
  readonly permits: number;
  /** What that left. */
  readonly available: number;
}

/** One try at a time to take permits, each for a number of them. Nobody stands in the way of who wants fewer. */
export class SemaphoreAttempts implements AttemptStrategy<number, TakenPermits> {
  private readonly underWay = new InFlight();

  constructor(
    private readonly semaphores: SemaphoreOperations,
    private readonly events: LockEvents,
  ) {}

  attempt(name: string, permits: number): Promise<{ readonly got: TakenPermits } | Busy> {
    return this.underWay.add(this.take(name, permits));
  }

  /** To a semaphore that still exists: one that was deleted since must not come back by what was taken from it. */
  undo(name: string, { permits }: TakenPermits): void {
    this.underWay
      .add(this.semaphores.releaseIfExists(name, permits))
      .catch((error: unknown) => this.events.emit({ type: 'permits-release-failed', lockName: name, permits, error }));
  }

  /** What others release meanwhile is announced, so there is no need to ask who cannot have it without that. */
  outcomeAfterGrant({ available }: TakenPermits): Busy {
    return { available, isSet: true, remaining: -1 };
  }

  mayStillSucceed(wanted: number, { available = 0 }: Busy): boolean {
    return wanted <= available;
  }

  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private async take(name: string, permits: number): Promise<{ readonly got: TakenPermits } | Busy> {
    const reply = await this.semaphores.take(name, permits);
    const { available } = reply;
    if (reply.outcome === 'taken') return { got: { permits, available } };
    return { available, isSet: reply.isSet, remaining: -1 };
  }
}
