import type { Duration } from '../time/duration.js';

/**
 * What became of one hold: the lock is free; it is not, because an outer hold of the same owner remains or because it is to
 * be held for longer (`holdAtLeast`); or the hold had ended before.
 */
export type HoldRelease = 'released' | 'still-held' | 'expired';

/**
 * One acquisition of a lock, or of several locks at once: held → releasing → done. Several holds of one owner are one
 * grant on the server, counted there, with one lease and one signal.
 */
export interface Hold extends AsyncDisposable {
  /** The name of the lock (see `Lock.name`). Of several locks: their names, with commas between them. */
  readonly name: string;

  /** The owner's id in Redis: `<clientId>:<number>`. Of several locks: the owners', with commas between them. */
  readonly owner: string;

  /**
   * The fencing token, where the kind of lock gives one: higher than that of any holder before, and the same for every
   * hold of one owner. Resources that remember the highest they have seen refuse who comes too late. Of several locks
   * each has its own: see `members` of a {@link MultiHold}.
   */
  readonly fence: bigint | undefined;

  /** Milliseconds this acquisition waited. */
  readonly waitedMs: number;

  /** Whether {@link release} has not been called yet. Says nothing about the server: see {@link assertHeld}. */
  readonly isHeld: boolean;

  /**
   * Aborts with `LockLostError` before the lease can end on the server, so that work can stop in time; or with
   * `LockShutdownError` when the application shuts down and its holders have had their time.
   */
  readonly signal: AbortSignal;

  /**
   * Makes sure, by the local clock and without a round trip, that the hold is still ours. Call it right before an
   * effect that must not happen twice.
   * @throws LockLostError once the hold was released, its lease ended, or the server was found to have dropped it.
   */
  assertHeld(): void;

  /**
   * Makes the hold last at least `lease` from now; it never gets shorter. A hold without a lease is kept by the
   * watchdog anyway and is only confirmed.
   * @param lease Milliseconds or a duration such as `'30s'`.
   * @throws LockLostError, LockUnavailableError, LockOptionsError
   */
  extend(lease: Duration): Promise<void>;

  /**
   * Gives the hold back (Redisson: `unlock`). Calling it again changes nothing and resolves with the same.
   * @returns `released`: the lock is free; `still-held`: an outer hold of the same owner remains, or the time it is to be
   *   held at least; `expired`: the hold
   *   had ended before, so somebody else may have had the lock meanwhile.
   * @throws LockUnavailableError when Redis could not confirm; the release goes on in the background.
   */
  release(): Promise<HoldRelease>;

  /**
   * Runs `fn` as this hold's owner: locks of the same name taken inside are re-entries. Ends with `fn`, or with the
   * promise that `fn` returns. Does not release.
   * @throws LockLostError when nothing is held any more.
   */
  run<T>(fn: () => T): T;

  /** What a log should show of a hold, rather than all that hangs on it. */
  toJSON(): HoldSummary;

  /** `await using hold = …` releases at the end of the block. What goes wrong then is an event. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A hold in a log. */
export interface HoldSummary {
  readonly name: string;
  readonly owner: string;
  readonly waitedMs: number;
  readonly isHeld: boolean;
}
