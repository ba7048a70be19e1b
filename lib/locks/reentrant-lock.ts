import { LockConflictError, LockOptionsError, LockTimeoutError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import type { HeldSection } from '../reentrancy/critical-section.js';
import type { Hold } from '../holds/hold.js';
import { type AcquireOptions, type LockRequest, parseLockOptions } from './lock.options.js';
import type { Lock } from './lock.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { acceptedTerms, type AcquireTerms } from '../waiting/acquire.options.js';

/** The ways to acquire, for every lock that says how it is taken under terms. */
export abstract class AcquirableLock<H extends Hold = Hold> implements Lock<H> {
  abstract readonly name: string;

  constructor(readonly runtime: LockRuntime) {}

  /** A hold of its own, to be released by whoever gets it. */
  abstract take(terms: AcquireTerms): Promise<H>;

  /** A hold for work that runs under it, whether that is a callback or, say, a stream. */
  abstract enter(terms: AcquireTerms): Promise<HeldSection<H>>;

  acquire(options?: AcquireOptions): Promise<H> {
    try {
      // Of those who wait there may be many, and a promise in between would cost each of them.
      return this.take(this.termsOf(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryAcquire(options?: AcquireOptions): Promise<H | null> {
    try {
      return await this.take(this.termsOf(options, 0));
    } catch (error) {
      if (error instanceof LockConflictError || error instanceof LockTimeoutError) return null;
      throw error;
    }
  }

  withLock<T>(fn: (hold: H) => T | Promise<T>): Promise<T>;
  withLock<T>(options: AcquireOptions, fn: (hold: H) => T | Promise<T>): Promise<T>;
  async withLock<T>(
    ...call: [fn: (hold: H) => T | Promise<T>] | [options: AcquireOptions, fn: (hold: H) => T | Promise<T>]
  ): Promise<T> {
    const [options, fn] = call.length === 1 ? [undefined, call[0]] : call;
    if (typeof fn !== 'function')
      throw new LockOptionsError(`withLock needs a function to run, not ${formatValue(fn)}`);
    const { hold, run, leave } = await this.enter(this.termsOf(options));
    try {
      return await run(() => fn(hold));
    } finally {
      await leave();
    }
  }

  abstract release(): Promise<void>;

  abstract forceRelease(): Promise<boolean>;

  abstract isLocked(): Promise<boolean>;

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.holdCount()) > 0;
  }

  abstract holdCount(): Promise<number>;

  abstract remainingLease(): Promise<number>;

  /** @internal */
  termsOf(options: AcquireOptions | undefined, defaultWait = this.runtime.defaults.wait): AcquireTerms {
    return this.accept(parseLockOptions(options, defaultWait));
  }

  /** @internal */
  accept(request: LockRequest): AcquireTerms {
    return acceptedTerms(request, this.runtime);
  }
}
