import { LockLostError } from '../errors.js';
import type { Duration } from '../time/duration.js';

/**
 * The result of a release: the lock is free; or it is not, because an outer hold of the same owner remains or the
 * minimum hold time (`holdAtLeast`) is not over; or the hold had ended before.
 */
export type HoldRelease = 'released' | 'still-held' | 'expired';

/**
 * One acquisition of a lock, or of several locks at once: held → releasing → done. Several holds of one owner are one
 * grant on the server, which counts them and gives them one lease; they share one signal.
 */
export interface Hold extends AsyncDisposable {
  /** The name of the lock (see `Lock.name`). For several locks: their names, separated by commas. */
  readonly name: string;

  /** The owner's id in Redis: `<clientId>:<number>`. For several locks: their owners' ids, separated by commas. */
  readonly owner: string;

  /**
   * The fencing token, if this kind of lock has them: higher than that of any earlier holder, and the same for all
   * holds of one owner. A resource that remembers the highest token it has seen can reject a stale holder. For several
   * locks each has its own: see `members` of a {@link MultiHold}.
   */
  readonly fence: bigint | undefined;

  /** How long this acquisition waited, ms. */
  readonly waitedMs: number;

  /** Whether {@link release} has not been called yet. Does not reflect the server: see {@link assertHeld}. */
  readonly isHeld: boolean;

  /**
   * Aborts with `LockLostError` before the lease can end on the server, so that work can stop in time; or with
   * `LockShutdownError` when the application shuts down and the holders' grace period is over.
   */
  readonly signal: AbortSignal;

  /**
   * Checks by the local clock, without a round trip, that the lock is still held. Call it right before an effect that
   * must not happen twice.
   * @throws LockLostError once the hold was released, its lease ended, or the server was found to have dropped it.
   */
  assertHeld(): void;

  /**
   * Makes the hold last at least `lease` from now; it is never shortened. A hold without a lease is renewed by the
   * watchdog anyway and is only confirmed.
   * @param lease Milliseconds or a duration such as `'30s'`.
   * @throws LockLostError, LockUnavailableError, LockOptionsError
   */
  extend(lease: Duration): Promise<void>;

  /**
   * Releases the hold (Redisson: `unlock`). Further calls have no effect and resolve with the same result.
   * @returns `released`: the lock is free; `still-held`: an outer hold of the same owner remains, or the minimum hold
   *   time is not over; `expired`: the hold had ended before, so another owner may have held the lock meanwhile.
   * @throws LockUnavailableError if Redis could not confirm; the release continues in the background.
   */
  release(): Promise<HoldRelease>;

  /**
   * Runs `fn` as this hold's owner: acquiring the same lock inside is a re-entry. Ends with `fn`, or with the promise
   * that `fn` returns. Does not release.
   * @throws LockLostError if the lock is no longer held.
   */
  run<T>(fn: () => T): T;

  /** The fields of a hold that belong in a log. */
  toJSON(): HoldSummary;

  /** `await using hold = …` releases at the end of the block. A failure of that release is emitted as an event. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A hold as it appears in a log. */
export interface HoldSummary {
  readonly name: string;
  readonly owner: string;
  readonly waitedMs: number;
  readonly isHeld: boolean;
}

/** Whether the lock is still held, by the local clock: whether {@link Hold.assertHeld} does not throw. */
export const isStillHeld = (hold: Pick<Hold, 'assertHeld'>): boolean => {
  try {
    hold.assertHeld();
    return true;
  } catch (error) {
    if (error instanceof LockLostError) return false;
    throw error;
  }
};
