import type { Hold } from '../holds/hold.js';
import type { AcquireOptions } from '../waiting/acquire.options.js';

/** What every kind of lock can do. */
export interface Lock<H extends Hold = Hold> {
  /**
   * The lock's name, as it stands in Redis. A group lock is called `group[fields]`: `group` is its key there, and `fields`
   * are the hashes of its values, with commas between them.
   */
  readonly name: string;

  /**
   * Takes the lock, waiting for it if need be (Redisson: `lock`). Inside a region or scope that holds it, re-enters.
   * @throws LockTimeoutError after `wait`, LockConflictError where `wait` is 0, LockAbortedError, LockShutdownError,
   *   LockUnavailableError, LockLostError, WrongKeyTypeError, LockOptionsError
   */
  acquire(options?: AcquireOptions): Promise<H>;

  /**
   * Takes the lock, or resolves with null when somebody else has it (Redisson: `tryLock`).
   * @param options `wait` defaults to 0, which is exactly one try.
   */
  tryAcquire(options?: AcquireOptions): Promise<H | null>;

  /** Runs `fn` under the lock and releases it afterwards. The result or error of `fn` is what comes out. */
  withLock<T>(fn: (hold: H) => T | Promise<T>): Promise<T>;
  withLock<T>(options: AcquireOptions, fn: (hold: H) => T | Promise<T>): Promise<T>;

  /**
   * Releases the hold that the current scope, or the region around the caller, acquired last (Redisson: `unlock`).
   * Holds of `withLock` and `@Locked` end with their callback; holds acquired elsewhere end by `hold.release()`.
   * @throws LockOwnershipError when there is none, or when it had ended before.
   */
  release(): Promise<void>;

  /**
   * Ends the hold of whoever has it, and wakes the waiters (Redisson: `forceUnlock`). True if somebody had it.
   * @throws LockUnavailableError when the server does not answer in time. The hold may have been ended by then; a request
   * that reaches the server later changes nothing.
   */
  forceRelease(): Promise<boolean>;

  /** Whether anybody holds the lock. */
  isLocked(): Promise<boolean>;

  /** Whether the current scope, or the region around the caller, holds the lock (Redisson: `isHeldByCurrentThread`). */
  isHeldByCurrentScope(): Promise<boolean>;

  /** How often the current scope holds the lock (Redisson: `getHoldCount`); 0 when it does not. */
  holdCount(): Promise<number>;

  /** Milliseconds until the lease ends; −2 when nobody holds the lock (Redisson: `remainTimeToLive`). */
  remainingLease(): Promise<number>;
}
