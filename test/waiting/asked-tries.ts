import type { Busy, AttemptStrategy } from '../../lib/waiting/attempt-strategy.js';

/** What was got, and how much of it was left. */
export interface Taken {
  readonly left: number;
}

/** A try that the test answers. */
export interface Question {
  readonly wanted: number;
  found(available: number): void;
  taken(left: number): void;
  failed(error: Error): void;
}

/** Tries for a number of something, each answered by the test, in the order in which they were made. */
export class AskedTries implements AttemptStrategy<number, Taken> {
  readonly questions: Question[] = [];
  readonly givenBack: Taken[] = [];
  asked = 0;

  constructor(readonly isShared = false) {}

  transfer(got: Taken): Taken {
    return got;
  }

  attempt(_name: string, wanted: number): Promise<{ readonly got: Taken } | Busy> {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.questions.push({
        wanted,
        found: (available) => resolve({ available, remaining: -1 }),
        taken: (left) => resolve({ got: { left } }),
        failed: reject,
      });
    });
  }

  undo(_name: string, got: Taken): void {
    this.givenBack.push(got);
  }

  outcomeAfterGrant({ left }: Taken): Busy | undefined {
    return this.isShared ? undefined : { available: left, remaining: -1 };
  }

  mayStillSucceed(wanted: number, { available = 0 }: Busy): boolean {
    return !this.isShared && wanted <= available;
  }

  async settled(): Promise<void> {}
}
