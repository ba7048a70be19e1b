import type { Busy, AttemptStrategy } from '../../lib/waiting/attempt-strategy.js';

/** A grant, with the number of permits left after it. */
export interface Taken {
  readonly left: number;
}

/** An attempt that the test answers. */
export interface SentAttempt {
  readonly wanted: number;
  found(available: number): void;
  taken(left: number): void;
  failed(error: Error): void;
}

/** Attempts to take a number of permits. The test answers them, in the order in which they were made. */
export class CountedAttempts implements AttemptStrategy<number, Taken> {
  readonly unanswered: SentAttempt[] = [];
  readonly undone: Taken[] = [];
  asked = 0;

  constructor(readonly isShared = false) {}

  transfer(got: Taken): Taken {
    return got;
  }

  attempt(_name: string, wanted: number): Promise<{ readonly got: Taken } | Busy> {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.unanswered.push({
        wanted,
        found: (available) => resolve({ available, remaining: -1 }),
        taken: (left) => resolve({ got: { left } }),
        failed: reject,
      });
    });
  }

  undo(_name: string, got: Taken): void {
    this.undone.push(got);
  }

  outcomeAfterGrant({ left }: Taken): Busy | undefined {
    return this.isShared ? undefined : { available: left, remaining: -1 };
  }

  mayStillSucceed(wanted: number, { available = 0 }: Busy): boolean {
    return !this.isShared && wanted <= available;
  }

  async settled(): Promise<void> {}
}
