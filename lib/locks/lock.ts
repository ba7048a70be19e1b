import type { Hold } from '../holds/hold.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import type { ConflictHandler, WithLockOptions } from './options/lock.options.js';
import type { AcquireOptions } from '../waiting/acquire.options.js';

/** The operations of every lock kind. */
export interface Lock<H extends Hold = Hold> {
  /**
   * The lock's name, as stored in Redis. A group lock is named `group[fields]`: `group` is its key, and `fields` are
   * the comma-separated hashes of its values.
   */
  readonly name: string;

  /**
   * Acquires the lock, waiting if necessary (Redisson: `lock`). Re-enters if the current context or scope holds it.
   * @throws LockTimeoutError after `wait`, LockConflictError if `wait` is 0, LockAbortedError, LockShutdownError,
   *   LockUnavailableError, LockLostError, LockKeyTypeError, LockOptionsError
   */
  acquire(options?: AcquireOptions): Promise<H>;

  /**
   * Acquires the lock, or resolves with null if another owner holds it (Redisson: `tryLock`).
   * @param options `wait` defaults to 0, which means exactly one attempt.
   */
  tryAcquire(options?: AcquireOptions): Promise<H | null>;

  /** Runs `fn` under the lock and releases it afterwards. Returns the result of `fn`, or rejects with its error. */
  withLock<T>(fn: (hold: H) => T | Promise<T>): Promise<T>;
  /** Runs `fn` under the lock, acquired with these options, and releases it afterwards. */
  withLock<T>(options: AcquireOptions & WithLockOptions<'throw'>, fn: (hold: H) => T | Promise<T>): Promise<T>;
  /** Runs `fn`, or with `onConflict: 'skip'` resolves with `undefined` if the lock is not free within `wait`. */
  withLock<T>(
    options: AcquireOptions & WithLockOptions<'throw' | 'skip'>,
    fn: (hold: H) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** Runs `fn`, or resolves with the result of `onConflict` if the lock is not free within `wait`. */
  withLock<T, R>(
    options: AcquireOptions & WithLockOptions<ConflictHandler<R>>,
    fn: (hold: H) => T | Promise<T>,
  ): Promise<T | R>;
  /** Runs `fn`, with an `onConflict` that is known only at run time. */
  withLock(options: AcquireOptions & WithLockOptions, fn: (hold: H) => unknown): Promise<unknown>;

  /**
   * Releases the hold that the current scope or context acquired last (Redisson: `unlock`). Holds of `withLock` and
   * `@Locked` end with their callback; holds acquired elsewhere end by `hold.release()`.
   * @throws LockOwnershipError if there is no hold, or if it had ended before.
   */
  release(): Promise<void>;

  /**
   * Ends the current hold, whichever owner has it, and wakes the waiters (Redisson: `forceUnlock`). Returns true if the
   * lock was held.
   * @throws LockUnavailableError if the server does not answer in time. The hold may have been ended by then; a request
   *   that reaches the server later changes nothing.
   */
  forceRelease(): Promise<boolean>;

  /** Whether any owner holds the lock. */
  isLocked(): Promise<boolean>;

  /** Whether the current scope or context holds the lock (Redisson: `isHeldByCurrentThread`). */
  isHeldByCurrentScope(): Promise<boolean>;

  /** Hold count of the current scope (Redisson: `getHoldCount`); 0 if it does not hold the lock. */
  holdCount(): Promise<number>;

  /** Milliseconds until the lease ends; −2 if the lock is not held (Redisson: `remainTimeToLive`). */
  remainingLease(): Promise<number>;

  /**
   * The holders of the lock and those that wait for it, read in one step on the server; for several locks as one, each by itself.
   * Changes nothing. Data that is no lock, or of another kind, is described by `problem`, and is no error.
   * @throws LockUnavailableError
   */
  inspect(): Promise<InspectedLock>;
}
