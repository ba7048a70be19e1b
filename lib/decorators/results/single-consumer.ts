import { LockLostError } from '../../errors.js';
import type { CriticalSection } from '../../reentrancy/critical-section.js';

/** Runs a task when somebody has been waited for long enough. Returns how to call it off. */
export type AbandonTimer = (giveUp: () => void) => () => void;

/**
 * Who goes through what a method made while it already held the locks: nobody yet → one → over. They stay held until
 * that one is done; if nobody comes they are released after a while, since nothing else would release them.
 */
export class SingleConsumer {
  private state: 'awaited' | 'here' | 'given-up' = 'awaited';
  private readonly stopWaiting: () => void;

  /** @param remedy What to do instead, for the message. */
  constructor(
    readonly guard: CriticalSection,
    afterPatience: AbandonTimer,
    private readonly what: string,
    private readonly remedy: string,
  ) {
    this.stopWaiting = afterPatience(() => {
      this.state = 'given-up';
      void guard.leave();
    });
  }

  /** @throws LockLostError for the second one, and for one who comes too late. */
  come(): void {
    const { state, what, remedy } = this;
    if (state !== 'awaited') {
      const why = state === 'here' ? `is for one ${what} only` : `was given up because there was no ${what}`;
      throw new LockLostError(`The lock ${why}; ${remedy}`);
    }
    this.state = 'here';
    this.stopWaiting();
  }
}
