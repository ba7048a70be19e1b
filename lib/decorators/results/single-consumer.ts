import { LockLostError } from '../../errors.js';
import type { CriticalSection } from '../../reentrancy/critical-section.js';

/** Runs a task if no consumer has come within the abandon time. Returns a function that cancels it. */
export type AbandonTimer = (giveUp: () => void) => () => void;

/**
 * The one allowed consumer of a result that a method made while holding the locks: awaited → arrived → done. The locks are
 * held until the consumer is done. If none comes, a timer releases them, since nothing else would.
 */
export class SingleConsumer {
  private state: 'awaited' | 'arrived' | 'given-up' = 'awaited';
  private readonly stopWaiting: () => void;

  /** @param remedy What to do instead, for the message. */
  constructor(
    readonly section: CriticalSection,
    onAbandoned: AbandonTimer,
    private readonly what: string,
    private readonly remedy: string,
  ) {
    this.stopWaiting = onAbandoned(() => {
      this.state = 'given-up';
      void section.leave();
    });
  }

  /** @throws LockLostError for a second consumer, and for one that comes too late. */
  arrive(): void {
    const { state, what, remedy } = this;
    if (state !== 'awaited') {
      const why = state === 'arrived' ? `is for one ${what} only` : `was given up because there was no ${what}`;
      throw new LockLostError(`The lock ${why}; ${remedy}`);
    }
    this.state = 'arrived';
    this.stopWaiting();
  }
}
