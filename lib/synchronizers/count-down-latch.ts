import { isConflict } from '../errors.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import { inspectLatch } from '../inspection/inspect-lock.js';
import { parseCount } from '../validation/options.js';
import type { SynchronizerServices } from './synchronizer-services.js';
import { parseTtl, type TtlOptions } from './ttl.options.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { OpenLatch } from '../waiting/latch-attempts.js';
import { parseWaitOptions, type WaitOptions } from '../waiting/acquire.options.js';

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** Options for setting the count. */
export type SetCountOptions = TtlOptions;

/** Services shared by the latches of one connection. */
export interface LatchServices extends Pick<SynchronizerServices, 'backend' | 'scheduler' | 'shutdown'> {
  /** Waits for open latches. */
  readonly latches: Acquirer<undefined, OpenLatch>;
}

/**
 * A latch that opens when it has been counted down to 0 (Redisson: `RCountDownLatch`). Set the count, count down from
 * any process, await 0. A latch that was never set, was counted down to 0 or was deleted is open, and can be set again.
 * The count has no owner: if a process dies, the counts it did not take down remain.
 *
 * Every method rejects with `LockKeyTypeError` if the name belongs to something else, and with `LockUnavailableError`
 * if Redis cannot answer in time. In every case a call takes effect at most once.
 *
 * @example
 * await latch.trySetCount(files.length);
 * await queue.addAll(files);            // each worker calls latch.countDown()
 * if (!(await latch.await({ wait: '5m' }))) throw new Error('the import takes too long');
 */
export class CountDownLatch {
  /** @internal Created by `LockService`. */
  constructor(
    private readonly runtime: LatchServices,
    /** The latch's name, as stored in Redis. */
    readonly name: string,
  ) {}

  /**
   * Sets the count, unless a count is left (Redisson: `trySetCount`). Returns true if it was set. A count of 0 is open
   * at once, but prevents other callers from setting one until it is counted down, deleted or expired.
   * @param count 0 … 2^53 − 1.
   * @param options `ttl`: the time after which the latch opens although counts are left; default: it never does.
   * @throws LockOptionsError
   */
  async trySetCount(count: number, options?: SetCountOptions): Promise<boolean> {
    const whole = parseCount(count, 'count', COUNT);
    return this.operations.trySet(this.name, whole, parseTtl(options, 'trySetCount'));
  }

  /**
   * Counts down by one; at 0 opens the latch for all waiters (Redisson: `countDown`). Does nothing if the latch is
   * open. If it rejects with `LockUnavailableError`, it continues in the background for a day: do not call it again.
   * Giving up is an event (`given-up`).
   */
  countDown(): Promise<void> {
    return this.operations.countDown(this.name);
  }

  /** The remaining count; 0 if the latch is open (Redisson: `getCount`). */
  getCount(): Promise<number> {
    return this.operations.count(this.name);
  }

  /**
   * How many counts are left, and how many processes wait for them. A key of another type is described by `problem`, and
   * is no error.
   */
  inspect(): Promise<InspectedLock> {
    return inspectLatch(this.runtime, this.name);
  }

  /** Deletes the count, which opens the latch for all waiters; returns true if there was one (Redisson: `delete`). */
  delete(): Promise<boolean> {
    return this.operations.delete(this.name);
  }

  /**
   * Resolves with true when the latch is open, or with false if `wait` ends before that (Redisson: `await`).
   * @param options `wait`: default without limit, whatever the module's default: latches are made to be waited for. 0
   *   checks once.
   * @throws LockAbortedError, LockShutdownError, LockUnavailableError, LockKeyTypeError, LockOptionsError
   */
  async await(options?: WaitOptions): Promise<boolean> {
    const { runtime, name } = this;
    const limit = parseWaitOptions(options, Number.POSITIVE_INFINITY, runtime.scheduler).withShutdown(runtime.shutdown);
    try {
      return await runtime.latches.acquire({ what: 'Latch', name, template: undefined, limit }, undefined, () => true);
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  private get operations(): LockBackend['countDownLatch'] {
    return this.runtime.backend.countDownLatch;
  }
}
