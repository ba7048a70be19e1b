import type { CounterOperations } from './counter-transitions.js';

/**
 * The transitions of a latch, which is open while there is nothing left to count down (Redisson: `RCountDownLatch`). Each
 * happens at once and as a whole, and has one effect however its answer got lost. They reject with
 * `LockUnavailableError` when the backend cannot decide in time, and with `WrongKeyTypeError` when something else lives
 * under the name.
 */
export interface LatchOperations extends CounterOperations {
  /**
   * Counts down by one; with the last one the latch is gone, and that is said on its channel. Does nothing to a latch that
   * is open. Where the outcome stays unknown, the backend goes on in the background.
   */
  countDown(name: string): Promise<void>;
}
