/**
 * One permit of a permit-expirable semaphore. It is text wherever text is wanted: in a template string, and in JSON, it is
 * its id.
 */
export interface Permit extends AsyncDisposable {
  /** 32 hexadecimal digits; Redisson's id of the permit. With it any process can release the permit. */
  readonly id: string;

  /** The semaphore's name, as it stands in Redis. */
  readonly name: string;

  /**
   * Whether neither this permit nor its id was released in this process. Says nothing about the server: see
   * {@link assertHeld}.
   */
  readonly isHeld: boolean;

  /**
   * Milliseconds until the deadline: until then the permit is certainly out, by the local clock. Counted from before the
   * request was sent, less what clocks may drift. 0 when the deadline has passed, or after a release; `Infinity` without a
   * lease.
   */
  readonly remaining: number;

  /**
   * Aborts with `LockLostError` at the deadline, before the lease can end on the server, and when the server was found to
   * have dropped the permit; or with `LockShutdownError` when the application shuts down and its holders have had their
   * time. A release does not abort it.
   */
  readonly signal: AbortSignal;

  /**
   * Makes sure, by the local clock and without a round trip, that the permit is still out. Call it right before an effect
   * that must not happen too often. Of a permit that another process released or gave a shorter lease it knows nothing.
   * @throws LockLostError once the permit was released here, its deadline has passed, or the server was found to have
   *   dropped it.
   */
  assertHeld(): void;

  /**
   * Returns the permit. Calling it again changes nothing and resolves with the same.
   * @returns `expired`: it was not out any more, so somebody else may have had it.
   * @throws LockUnavailableError when Redis could not confirm; the release goes on in the background.
   */
  release(): Promise<'released' | 'expired'>;

  /** The id. */
  toString(): string;

  /** The id. */
  toJSON(): string;

  /** `await using permit = …` releases at the end of the block. What goes wrong then is an event. */
  [Symbol.asyncDispose](): Promise<void>;
}
