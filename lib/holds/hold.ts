import { LockLostError } from '../errors.js';
import type { Duration } from '../time/duration.js';
import type { LeaseOptions } from '../waiting/acquire.options.js';
import type { UpgradeOptions } from './converting/upgrade.options.js';
import type { DetachOptions } from './detaching/detach.options.js';
import type { HoldToken } from './detaching/hold-token.js';

/**
 * The result of a release: the lock is free; or it is not, because an outer hold of the same owner remains, the
 * minimum hold time (`holdAtLeast`) is not over or the hold was abandoned; or the hold had ended before.
 */
export type HoldRelease = 'released' | 'still-held' | 'expired';

/**
 * One acquisition of a lock, or of several locks at once: held → releasing → done. Several holds of one owner are one
 * grant on the server, which counts them and gives them one lease; they share one signal. A hold that was not released and
 * that nothing refers to any more is no longer renewed, and is told as an event (`forgotten`).
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
  /**
   * Number of the permit of a limit with `numbered: true`, from 0 to `limit` − 1: no other permit in use has it. It stays
   * while the permit is held, and is free again with it. `undefined` for every other hold.
   */
  readonly slot: number | undefined;

  /** How long this acquisition waited, ms. */
  readonly waited: number;

  /**
   * Whether the lock is certainly held, by the local clock and without a round trip: it was not released, its lease has
   * not ended, and the server was not found to have dropped it. Whether {@link assertHeld} does not throw.
   */
  readonly isHeld: boolean;

  /** Whether {@link release} or {@link abandon} was called. False for a hold that was only lost. */
  readonly isReleased: boolean;

  /**
   * By the local clock and without a round trip. `held`: the lock is certainly held, and renewed if the hold is to be.
   * `suspended`: the last renewal of the watchdog failed or is overdue, so that it is not known whether the server keeps the
   * lock for longer than {@link remaining}. Pause what must not be cut off, until the state is `held` again or `lost`. A hold
   * with a lease of its own is suspended only while it is detached, upgraded or downgraded, and may have ended by that.
   * `lost`: it ended before its release. `released`: see {@link isReleased}. Of several locks: that of the worst; of a
   * RedLock: that of the best majority.
   */
  readonly state: 'held' | 'suspended' | 'lost' | 'released';

  /**
   * Milliseconds for which the lock is certainly still held if no further renewal succeeds, by the local clock and
   * without a round trip: counted from before the last confirmed command was sent, less the possible drift of clocks.
   * Each renewal of the watchdog raises it. 0 once the hold was released or lost. Never `Infinity`: a hold without a
   * lease ends as well when its renewals fail. Of several locks: until the first ends; of a RedLock: until no majority
   * is left.
   */
  readonly remaining: number;

  /**
   * Aborts with `LockLostError` before the lease can end on the server, so that work can stop in time; or with
   * `LockShutdownError` when the application shuts down and the holders' grace period is over. That of a hold that was
   * upgraded or downgraded aborts when what the hold has become is lost. Its listeners run outside all locks and requests:
   * an `AsyncLocalStorage` of the application has no store there. As with every `AbortSignal` of Node, an async listener
   * that rejects ends the process.
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
   *
   * With `renew: true` the watchdog renews the hold from now on, until its release or for `maxHold`, as if it had been
   * acquired with these options. Confirmed, it has the lease that each renewal grants, even if more was left: after a crash
   * the lock is free when that ends. A hold that is renewed already goes on with the lease that its renewals grant, and
   * `maxHold` never ends a hold sooner than it would have ended.
   * @param lease Milliseconds or a duration such as `'30s'`; or `{ renew: true }`, with `lease` and `maxHold` as for
   *   `acquire`.
   * @throws LockLostError; LockUnavailableError: with `renew: true` the watchdog goes on trying; LockOptionsError, before
   *   anything is sent, also for `renew: true` and the lock of an `owner` that the application has chosen.
   */
  extend(lease: Duration | (LeaseOptions & { readonly renew: true })): Promise<void>;

  /**
   * Releases the hold (Redisson: `unlock`). Further calls have no effect and resolve with the same result.
   * @returns `released`: the lock is free; `still-held`: an outer hold of the same owner remains, or the minimum hold
   *   time is not over; `expired`: the hold had ended before, so another owner may have held the lock meanwhile.
   * @throws LockUnavailableError if Redis could not confirm; the release continues in the background.
   */
  release(): Promise<HoldRelease>;

  /**
   * Gives the hold up without a command: it is not renewed any more, and the lock stays locked until its lease ends on
   * the server, at most one lease later. For work whose effects may go on although the code has stopped. Other holds of
   * the same owner remain, and keep the lock as long as they would otherwise. The time of `holdAtLeast` is kept only as
   * far as the lease reaches. A later {@link release} sends nothing and resolves with `still-held`, or with `expired` if
   * the hold was lost before. No effect after a release.
   */
  abandon(): void;

  /**
   * Ends the hold here without releasing the lock, and resolves with a token by which `locks.attach(token)` goes on with
   * it, once, in any process. The lock stays locked for `lease`, by default the watchdog time-out; if the token is not
   * attached by then, it is free. The token is a secret. While Redis is asked, the hold counts as not held. If the request
   * was certainly not executed (`LockUnavailableError` with `outcome` `not-sent` or `refused`), the hold is as before: go on
   * with it, release it or detach it again. With `outcome` `unknown`, it has ended.
   * @throws LockOptionsError for a lock that is not plain, fair, fenced or spin; LockOwnershipError for the hold of a
   *   callback, or if the owner has other holds of the lock; LockLostError; LockUnavailableError if Redis could not
   *   confirm: the lock may then stay locked for `lease`.
   */
  detach(options?: DetachOptions): Promise<HoldToken>;

  /**
   * Makes this hold of a read lock a hold of the write lock, if no other owner reads: at once, without waiting for others,
   * and before writers that wait. No other owner can write in between. On success this hold has ended and the new one, which
   * has an owner id of its own, is to be released; in a callback of `withLock()` or a `@Locked` method that happens at
   * its end. `maxHold` and `holdAtLeast` count from the read. Resolves with `null` if others read: this hold is unchanged.
   * @throws LockOptionsError for a hold that is not of a read lock; LockOwnershipError if its owner has other holds of the
   *   lock; LockLostError; LockUnavailableError: if its `outcome` is `unknown`, or too few replicas confirmed, this hold is
   *   lost and the lock is released in the background, otherwise nothing was changed.
   */
  tryUpgrade(options?: UpgradeOptions): Promise<Hold | null>;

  /**
   * Makes this hold of a write lock a hold of the read lock, and lets waiting readers in. No other owner can write in
   * between. Once the request is sent this hold is not certain, and it ends with the reply. The new one, which has an owner
   * id of its own, is to be released; in a callback of `withLock()` or a `@Locked` method that happens at its end.
   * `maxHold` and `holdAtLeast` count from the write.
   * @throws LockOptionsError for a hold that is not of a write lock; LockOwnershipError, LockLostError and
   *   LockUnavailableError as {@link tryUpgrade}
   */
  downgrade(options?: UpgradeOptions): Promise<Hold>;

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
  readonly waited: number;
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
