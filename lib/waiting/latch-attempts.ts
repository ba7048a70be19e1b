import type { LockBackend } from '../backend/lock-backend.js';
import type { AttemptStrategy, Busy } from './attempt-strategy.js';
import { InFlight } from '../concurrency.js';

/** An open latch (count 0). There is nothing to undo: it is open to every caller. */
export interface OpenLatch {
  readonly isOpen: true;
}

/** Checks whether a latch is open. All waiters share the result of one check. */
export class LatchAttempts implements AttemptStrategy<undefined, OpenLatch> {
  readonly isShared = true;
  private readonly inFlight = new InFlight();

  constructor(private readonly latches: LockBackend['countDownLatch']) {}

  attempt(name: string): Promise<{ readonly got: OpenLatch } | Busy> {
    return this.inFlight.add(this.check(name));
  }

  undo(): void {}

  /** A waiter that arrived after the check makes its own: the latch may have been set since. */
  outcomeAfterGrant(): undefined {}

  settled(): Promise<void> {
    return this.inFlight.settled();
  }

  private async check(name: string): Promise<{ readonly got: OpenLatch } | Busy> {
    const { count, remaining } = await this.latches.inspect(name);
    return count > 0 ? { remaining } : { got: { isOpen: true } };
  }
}
