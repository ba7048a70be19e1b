/** One permit of a permit-expirable semaphore. In a template string and in JSON it is its id. */
export interface Permit extends AsyncDisposable {
  /** 32 hexadecimal digits; Redisson's permit id. Any process can release the permit by it. */
  readonly id: string;

  /** The semaphore's name, as stored in Redis. */
  readonly name: string;

  /**
   * Whether the permit is certainly held, by the local clock and without a round trip: it was not released in this
   * process, its lease has not ended, and the server was not found to have dropped it. Whether {@link assertHeld} does
   * not throw.
   */
  readonly isHeld: boolean;

  /** Whether this permit or its id was released in this process. False for a permit that was only lost. */
  readonly isReleased: boolean;

  /**
   * Milliseconds until the deadline. Until then the permit is certainly held, by the local clock. Counted from before
   * the request was sent, less the possible drift of clocks. 0 after the deadline or a release; `Infinity` without a
   * lease. A renewal moves the deadline.
   */
  readonly remaining: number;

  /**
   * Aborts with `LockLostError` at the deadline, before the lease can end on the server, and when the server is found
   * to have dropped the permit; or with `LockShutdownError` when the application shuts down and the holders' share of
   * `shutdownTimeout` has passed. A release does not abort it.
   */
  readonly signal: AbortSignal;

  /**
   * Asserts, by the local clock and without a round trip, that the permit is still held. Call it right before an effect
   * that must not happen too often. It does not notice that another process released the permit or shortened its lease.
   * @throws LockLostError once the permit was released here, its deadline has passed, or the server was found to have
   *   dropped it.
   */
  assertHeld(): void;

  /**
   * Releases the permit. Further calls change nothing and resolve with the same result.
   * @returns `expired`: it was no longer held, so another holder may have had it.
   * @throws LockUnavailableError if Redis could not confirm; the release continues in the background.
   */
  release(): Promise<'released' | 'expired'>;

  /** The id. */
  toString(): string;

  /** The id. */
  toJSON(): string;

  /** `await using permit = …` releases at the end of the block. Failures of that are events. */
  [Symbol.asyncDispose](): Promise<void>;
}
