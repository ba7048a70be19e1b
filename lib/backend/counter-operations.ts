import { LockOptionsError } from '../errors.js';

/** What a semaphore and a latch have in common: a number under a name that nobody owns. */
export interface CounterOperations {
  /**
   * Sets the number where there is none, and says so on the channel.
   * @param ttl Milliseconds after which it is gone again; absent: never.
   * @returns false where there is one, 0 included.
   */
  trySet(name: string, count: number, ttl?: number): Promise<boolean>;
  /** The number; 0 where there is none. */
  count(name: string): Promise<number>;
  /** Resolves with whether there was one. */
  delete(name: string): Promise<boolean>;
}

/** More permits than that no semaphore has: Redisson counts them in 32 bits. */
export const MOST_PERMITS = 2 ** 31 - 1;

/** @param available What there is now; nothing was changed. */
export const tooManyPermits = (name: string, available: number, more: number): LockOptionsError =>
  new LockOptionsError(
    `Semaphore "${name}" has ${available} permits; ${more} more would be beyond ±${MOST_PERMITS}, which is all it can count`,
    { lockName: name, details: { available, permits: more } },
  );

export type TakeOutcome =
  /** `available`: permits that are left now. */
  | { readonly outcome: 'taken'; readonly available: number }
  /** `isSet`: whether it was ever said how many permits there are. */
  | { readonly outcome: 'too-few'; readonly available: number; readonly isSet: boolean };

/**
 * The transitions of a semaphore whose permits nobody owns (Redisson: `RSemaphore`). Each happens at once and as a whole,
 * and has one effect however its answer got lost. They reject with `LockUnavailableError` when the backend cannot decide
 * in time, and with `WrongKeyTypeError` when something else lives under the name.
 */
export interface SemaphoreOperations extends CounterOperations {
  /** Takes permits if there are as many. Where the outcome stays unknown, they are given back in the background. */
  take(name: string, permits: number): Promise<TakeOutcome>;
  /**
   * Adds permits and says how many there are now. Where the outcome stays unknown, the backend goes on in the background.
   * @throws LockOptionsError where there would be more than {@link MOST_PERMITS}.
   */
  release(name: string, permits: number): Promise<void>;
  /** As {@link release}, where there is a number; resolves with whether there was. */
  releaseIfExists(name: string, permits: number): Promise<boolean>;
  /** Takes all permits there are, and the time to live; resolves with how many. Given back like those of {@link take}. */
  drain(name: string): Promise<number>;
  /**
   * Changes the number of permits by `delta`, takes the time to live, and says how many there are now, unless they are
   * fewer than none.
   * @throws LockOptionsError where there would be more than {@link MOST_PERMITS}, or fewer than as many below zero.
   */
  add(name: string, delta: number): Promise<void>;
}

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
