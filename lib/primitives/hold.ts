import { inspect } from 'node:util';
import { LockLostError } from '../errors.js';
import { currentRegion, runInRegion } from '../scope/current-region.js';
import { Region } from '../scope/region.js';
import { type Duration, parseLease } from '../time/duration.js';
import type { Grant, HoldRelease } from './grant.js';

/**
 * How a hold ends: `bound` ones with the callback that they were acquired for, `loose` ones when whoever acquired them
 * releases them.
 */
export type Binding = 'bound' | 'loose';

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/**
 * One acquisition of a lock: held → releasing → done. Several holds of one owner are one grant on the server, counted
 * there, with one lease and one signal.
 */
export class Hold implements AsyncDisposable {
  private releasing: Promise<HoldRelease> | undefined;

  /** Made by locks, not by users. */
  constructor(
    /** @internal */
    readonly grant: Grant,
    /** @internal */
    readonly binding: Binding,
    /** Milliseconds this acquisition waited. */
    readonly waitedMs: number,
  ) {}

  /** The lock's name, as it stands in Redis. */
  get name(): string {
    return this.grant.name;
  }

  /** The owner's id in Redis: `<clientId>:<number>`. */
  get owner(): string {
    return this.grant.owner;
  }

  /**
   * The fencing token, where the kind of lock gives one: higher than that of any holder before, and the same for every
   * hold of one owner. Resources that remember the highest they have seen refuse who comes too late.
   */
  get fence(): bigint | undefined {
    return this.grant.fence;
  }

  /** Whether {@link release} has not been called yet. Says nothing about the server: see {@link assertHeld}. */
  get isHeld(): boolean {
    return this.releasing === undefined;
  }

  /**
   * Aborts with `LockLostError` before the lease can end on the server, so that work can stop in time; or with
   * `LockShutdownError` when the application shuts down and its holders have had their time.
   */
  get signal(): AbortSignal {
    return this.grant.signal;
  }

  /**
   * Makes sure, by the local clock and without a round trip, that the hold is still ours. Call it right before an
   * effect that must not happen twice.
   * @throws LockLostError once the hold was released, its lease ended, or the server was found to have dropped it.
   */
  assertHeld(): void {
    if (!this.isHeld) {
      throw new LockLostError(`Lock "${this.name}" was released before; this hold of ${this.owner} is done`, {
        lockName: this.name,
      });
    }
    this.grant.assertHeld();
  }

  /**
   * Makes the hold last at least `lease` from now; it never gets shorter. A hold without a lease is kept by the
   * watchdog anyway and is only confirmed.
   * @param lease Milliseconds or a duration such as `'30s'`.
   * @throws LockLostError, LockUnavailableError, LockOptionsError
   */
  async extend(lease: Duration): Promise<void> {
    const ms = parseLease(lease, 'lease');
    this.assertHeld();
    await this.grant.extend(this, ms);
  }

  /**
   * Gives the hold back (Redisson: `unlock`). Calling it again changes nothing and resolves with the same.
   * @returns `released`: the lock is free; `still-held`: an outer hold of the same owner remains; `expired`: the hold
   *   had ended before, so somebody else may have had the lock meanwhile.
   * @throws LockUnavailableError when Redis could not confirm; the release goes on in the background.
   */
  release(): Promise<HoldRelease> {
    this.releasing ??= this.grant.leave(this);
    return this.releasing;
  }

  /** Releases; what goes wrong is an event, since the result of the protected work always wins. */
  async releaseQuietly(): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      this.grant.runtime.events.emit({ type: 'release-failed', lockName: this.name, owner: this.owner, error });
    }
  }

  /**
   * Runs `fn` as this hold's owner: locks of the same name taken inside are re-entries. Ends with `fn`, or with the
   * promise that `fn` returns. Does not release.
   * @throws LockLostError when nothing is held any more.
   */
  run<T>(fn: () => T): T {
    this.assertHeld();
    const region = new Region(this, currentRegion());
    let result: T;
    let goesOn: boolean;
    try {
      result = runInRegion(region, fn);
      // Within the try: what has a `then` may throw when it is looked at.
      goesOn = isThenable(result);
    } catch (error) {
      region.close();
      throw error;
    }
    if (!goesOn) {
      region.close();
      return result;
    }
    // The promise handed on is the one that closes the region, so that a rejection nobody handles stays visible.
    return Promise.resolve(result).finally(() => region.close()) as T;
  }

  /** @internal Begins a lease anew that has passed for the most part while its holder waited for something else. */
  async refresh(lease: number | undefined): Promise<void> {
    if (lease !== undefined && this.grant.lease.remaining < lease / 2) await this.extend(lease);
  }

  /** What a log should show of a hold, rather than all that hangs on it. */
  toJSON(): { name: string; owner: string; waitedMs: number; isHeld: boolean } {
    const { name, owner, waitedMs, isHeld } = this;
    return { name, owner, waitedMs, isHeld };
  }

  [inspect.custom](): string {
    return `Hold ${inspect(this.toJSON())}`;
  }

  /** `await using hold = …` releases at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.releaseQuietly();
  }
}
