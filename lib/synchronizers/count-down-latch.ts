import { LockConflictError, LockTimeoutError } from '../errors.js';
import { parseCount } from './permit.options.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { OpenLatch } from '../waiting/latch-attempts.js';
import { parseWaitOptions, type WaitOptions } from '../waiting/acquire.options.js';

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** What the latches of one connection share. */
export interface LatchServices {
  readonly backend: LockBackend;
  readonly scheduler: MonotonicScheduler;
  /** How open latches are waited for. */
  readonly latches: Acquirer<undefined, OpenLatch>;
  readonly shutdown: AbortSignal;
}

/**
 * A gate that opens when something has happened a number of times (Redisson: `RCountDownLatch`). Set the count, count
 * down from anywhere, await 0. A latch that was never set, was counted down to 0 or was deleted is open, and can be set
 * again. The count has no owner: what a process that died did not count down stays.
 *
 * Everything here rejects with `WrongKeyTypeError` where the name belongs to something else, and with
 * `LockUnavailableError` where Redis cannot answer in time; whatever the answer, a call has its effect at most once.
 *
 * @example
 * await latch.trySetCount(files.length);
 * await queue.addAll(files);            // each worker calls latch.countDown()
 * if (!(await latch.await({ wait: '5m' }))) throw new Error('the import takes too long');
 */
export class CountDownLatch {
  /** Made by `LockService`. */
  constructor(
    private readonly runtime: LatchServices,
    /** The latch's name, as it stands in Redis. */
    readonly name: string,
  ) {}

  /**
   * Sets what is to be counted down, unless something is left of the last count (Redisson: `trySetCount`). True if it was
   * set now. A count of 0 is open already, but keeps others from setting one until it is counted down or deleted.
   * @param count 0 … 2^53 − 1.
   * @throws LockOptionsError
   */
  async trySetCount(count: number): Promise<boolean> {
    return this.transitions.trySet(this.name, parseCount(count, 'count', COUNT));
  }

  /**
   * Counts down by one, and with the last one opens the latch to everybody who waits (Redisson: `countDown`). Does nothing
   * to a latch that is open. When it rejects with `LockUnavailableError`, it goes on in the background for a day: do
   * not call it again. Giving up is an event (`given-up`).
   */
  countDown(): Promise<void> {
    return this.transitions.countDown(this.name);
  }

  /** What is left to count down; 0 where the latch is open (Redisson: `getCount`). */
  getCount(): Promise<number> {
    return this.transitions.count(this.name);
  }

  /** Opens the latch and lets everybody through who waits; true if there was one (Redisson: `delete`). */
  delete(): Promise<boolean> {
    return this.transitions.delete(this.name);
  }

  /**
   * Resolves with true when the latch is open, with false when `wait` is over before that (Redisson: `await`).
   * @param options `wait`: default without limit, whatever that of the module: a latch is there to be waited for. 0 looks
   *   once.
   * @throws LockAbortedError, LockShutdownError, LockUnavailableError, WrongKeyTypeError, LockOptionsError
   */
  async await(options?: WaitOptions): Promise<boolean> {
    const { runtime, name } = this;
    const limit = parseWaitOptions(options, Number.POSITIVE_INFINITY, runtime.scheduler).withShutdown(runtime.shutdown);
    try {
      await runtime.latches.acquire({ what: 'Latch', name, template: undefined, limit }, undefined);
      return true;
    } catch (error) {
      if (error instanceof LockConflictError || error instanceof LockTimeoutError) return false;
      throw error;
    }
  }

  private get transitions(): LockBackend['countDownLatch'] {
    return this.runtime.backend.countDownLatch;
  }
}
