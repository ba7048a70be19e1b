import type { LatchOperations } from '../backend/counter-operations.js';
import type { Busy, AttemptStrategy } from './acquirer.js';
import { InFlight } from '../concurrency/in-flight.js';

/** A latch with nothing left to count down. There is nothing to give back: it is open to everybody. */
export interface OpenLatch {
  readonly isOpen: true;
}

/** One look at a time at whether a latch is open. Everybody who waits has what one look shows. */
export class LatchAttempts implements AttemptStrategy<undefined, OpenLatch> {
  readonly isShared = true;
  private readonly underWay = new InFlight();

  constructor(private readonly latches: LatchOperations) {}

  attempt(name: string): Promise<{ readonly got: OpenLatch } | Busy> {
    return this.underWay.add(this.look(name));
  }

  undo(): void {}

  /** Who began to wait after the look takes one of its own: the latch may have been set since. */
  outcomeAfterGrant(): undefined {}

  settled(): Promise<void> {
    return this.underWay.settled();
  }

  private async look(name: string): Promise<{ readonly got: OpenLatch } | Busy> {
    return (await this.latches.count(name)) > 0 ? { remaining: -1 } : { got: { isOpen: true } };
  }
}
