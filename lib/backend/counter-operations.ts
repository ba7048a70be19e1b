import { LockOptionsError } from '../errors.js';

export interface CounterState {
  /** 0 if there is none. */
  readonly count: number;
  /** Milliseconds until it expires; below 0: it does not, or there is none. */
  readonly remaining: number;
}

/** The common part of semaphores and latches: a number under a name, without an owner. */
export interface CounterOperations {
  /**
   * Sets the number if there is none, and announces it on the channel.
   * @param ttl Milliseconds after which the number expires; absent: never.
   * @returns false if there is a number already, 0 included.
   */
  trySet(name: string, count: number, ttl?: number): Promise<boolean>;
  /** The number; 0 if there is none. */
  count(name: string): Promise<number>;
  /** Resolves with whether there was a number. */
  delete(name: string): Promise<boolean>;
}

/** The most permits that a semaphore can have: Redisson counts them in 32 bits. */
export const MOST_PERMITS = 2 ** 31 - 1;

/** @param available Number of permits available now; nothing was changed. */
export const tooManyPermits = (name: string, available: number, more: number): LockOptionsError =>
  new LockOptionsError(
    `Semaphore "${name}" has ${available} permits; ${more} more would exceed ±${MOST_PERMITS}, the most it can count`,
    { lockName: name, details: { available, permits: more } },
  );

export type TakeOutcome =
  /** `available`: permits left now. */
  | { readonly outcome: 'taken'; readonly available: number }
  /** `isSet`: whether the number of permits was ever set. */
  | { readonly outcome: 'too-few'; readonly available: number; readonly isSet: boolean };

/**
 * The operations of a semaphore whose permits have no owner (Redisson: `RSemaphore`). Each is atomic and has one
 * effect, even if its reply is lost. They reject with `LockUnavailableError` if the backend cannot decide in time, and
 * with `LockKeyTypeError` if the name belongs to a key of another type.
 */
export interface SemaphoreOperations extends CounterOperations {
  /** Takes permits if enough are available. If the outcome stays unknown, they are returned in the background. */
  take(name: string, permits: number): Promise<TakeOutcome>;
  /**
   * Adds permits and announces the new number. If the outcome stays unknown, the backend retries in the background.
   * @throws LockOptionsError if there would be more than {@link MOST_PERMITS}.
   */
  release(name: string, permits: number): Promise<void>;
  /** As {@link release}, but only if the number is set; resolves with whether it was. */
  releaseIfExists(name: string, permits: number): Promise<boolean>;
  /**
   * Takes all available permits, and removes the time to live; resolves with their number. If the outcome stays
   * unknown, they are returned like those of {@link take}.
   */
  drain(name: string): Promise<number>;
  /**
   * Changes the number of permits by `delta`, removes the time to live, and announces the new number unless it is below
   * zero.
   * @throws LockOptionsError if there would be more than {@link MOST_PERMITS}, or fewer than its negative.
   */
  add(name: string, delta: number): Promise<void>;
}

/**
 * The operations of a latch, which is open while its count is zero (Redisson: `RCountDownLatch`). Each is atomic and
 * has one effect, even if its reply is lost. They reject with `LockUnavailableError` if the backend cannot decide in
 * time, and with `LockKeyTypeError` if the name belongs to a key of another type.
 */
export interface LatchOperations extends CounterOperations {
  /**
   * Counts down by one. The last count deletes the latch and announces that on its channel. Does nothing to an open
   * latch. If the outcome stays unknown, the backend retries in the background.
   */
  countDown(name: string): Promise<void>;
  inspect(name: string): Promise<CounterState>;
}
