import { LockOwnershipError } from '../errors.js';
import { AcquirableLock } from './reentrant-lock.js';
import type { HeldSection } from '../reentrancy/critical-section.js';
import { ReentrantAcquirer } from '../reentrancy/reentrant-acquirer.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import type { AcquireOptions } from './lock.options.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';

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

/**
 * The reentrant lock (Redisson: `RLock` of `getLock`): the reference the other kinds vary.
 * @typeParam H What the holds of the kind are.
 */
export class ReentrantLock<H extends GrantedHold = GrantedHold> extends AcquirableLock<H> {
  private readonly entry: ReentrantAcquirer;

  /**
   * Made by `LockService`.
   * @param template The key template that made the name, if any, for errors.
   * @param method The method or interceptor that is locked, if any, for events and logs: `@Locked Orders.pay`.
   */
  constructor(
    runtime: LockRuntime,
    readonly name: string,
    template?: string,
    private readonly kind: LockKind = runtime.kinds.plain,
    method?: string,
  ) {
    super(runtime);
    this.entry = new ReentrantAcquirer(runtime, kind, name, { template, method });
  }

  /** @internal */
  take(terms: AcquireTerms): Promise<H> {
    return this.entry.acquire(terms) as Promise<H>;
  }

  /** @internal */
  enter(terms: AcquireTerms): Promise<HeldSection<H>> {
    return this.entry.enter(terms) as Promise<HeldSection<H>>;
  }

  async release(): Promise<void> {
    const hold = this.entry.current()?.latestManualHold;
    if (!hold) {
      throw new LockOwnershipError(
        `Lock "${this.name}" has no hold here to release: call hold.release() on what acquire() gave, or acquire inside runInScope()`,
        { lockName: this.name },
      );
    }
    if ((await hold.release()) !== 'expired') return;
    throw new LockOwnershipError(
      `Lock "${this.name}" is not held by ${hold.owner} any more: its lease ended or it was taken away`,
      {
        lockName: this.name,
        details: { owner: hold.owner },
      },
    );
  }

  async forceRelease(): Promise<boolean> {
    const { runtime, kind, name } = this;
    const released = await kind.operations.forceRelease(name);
    // Whoever held it here is to stop at once; elsewhere it is noticed with the next renewal.
    await Promise.all([...runtime.grants].filter((grant) => grant.name === name).map((grant) => grant.verify()));
    return released;
  }

  async isLocked(): Promise<boolean> {
    return (await this.kind.operations.inspect(this.name, undefined)).locked;
  }

  async holdCount(): Promise<number> {
    const owner = this.entry.current()?.owner;
    return owner === undefined ? 0 : (await this.kind.operations.inspect(this.name, owner)).count;
  }

  async remainingLease(): Promise<number> {
    return (await this.kind.operations.inspect(this.name, undefined)).remaining;
  }
}
