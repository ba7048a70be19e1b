import type { SemaphoreOperations } from '../backend/counter-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import type { Busy, AttemptStrategy } from './acquirer.js';
import { InFlight } from '../concurrency/in-flight.js';

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
