import { MOST_PERMITS } from '../backend/counter-operations.js';
import { LockConflictError, LockOptionsError, LockTimeoutError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { parseOptions } from '../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import type { WaitLimit } from '../time/wait-limit.js';
import { refusal } from '../waiting/wait-errors.js';
import { parseCount } from './permit.options.js';
import type { CriticalSection } from '../reentrancy/critical-section.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { InFlight } from '../concurrency/in-flight.js';
import type { LockEvents } from '../events/lock-events.js';
import type { AcquireServices } from '../waiting/acquire.options.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { TakenPermits } from '../waiting/permit-attempts.js';
import { parseWaitOptions, type WaitOptions } from '../waiting/acquire.options.js';

const PERMITS = { min: 0, max: MOST_PERMITS };
const DELTA = { min: -MOST_PERMITS, max: MOST_PERMITS };

/** How permits are set. */
export interface SetPermitsOptions {
  /** After this time the semaphore is gone again, in ms or such as `'30s'`. Absent: never. 1 … 2^31 − 1 ms. */
  readonly ttl?: Duration | undefined;
}

/** What the semaphores of one connection share. */
export interface SemaphoreServices extends AcquireServices {
  readonly backend: LockBackend;
  /** How permits are taken. Wanted is their number. */
  readonly semaphores: Acquirer<number, TakenPermits>;
  readonly events: LockEvents;
  readonly shutdown: AbortSignal;
  /** Work that runs with permits and gives them back at its end. */
  readonly permitsInUse: InFlight;
}

/**
 * A number of permits that nobody owns (Redisson: `RSemaphore`): whoever took one may give it back, so may anybody else,
 * and those of a process that dies are lost; permits with a lease come back by themselves
 * (`getPermitExpirableSemaphore`). Whoever finds enough permits takes them: there is no order among waiters.
 *
 * Permits are whole numbers up to 2^31 − 1. Everything here rejects with `LockOptionsError` for any other, with
 * `WrongKeyTypeError` where the name belongs to something else, and with `LockUnavailableError` where Redis cannot answer
 * in time; whatever the answer, a call has its effect at most once.
 *
 * @example
 * const semaphore = locks.getSemaphore('exports');
 * await semaphore.trySetPermits(3);
 * await semaphore.withPermits(1, { wait: '30s' }, () => exportOrders());
 */
export class Semaphore {
  /** Made by `LockService`. */
  constructor(
    private readonly runtime: SemaphoreServices,
    /** The semaphore's name, as it stands in Redis. */
    readonly name: string,
    private readonly template?: string,
  ) {}

  /**
   * Sets how many permits there are, unless that was done before (Redisson: `trySetPermits`). True if it was done now.
   * @throws LockOptionsError
   */
  async trySetPermits(permits: number, options?: SetPermitsOptions): Promise<boolean> {
    const count = parseCount(permits, 'permits', PERMITS);
    const { ttl } = parseOptions(options, ['ttl'], { of: 'trySetPermits' });
    const ms = ttl === undefined ? undefined : parseDuration(ttl, 'ttl', { min: 1, max: MAX_DURATION });
    return this.transitions.trySet(this.name, count, ms);
  }

  /**
   * Takes permits, waiting for them if need be (Redisson: `acquire`). Nobody who wants fewer waits for who wants more.
   * For 0 permits it does nothing. What is not wanted any more when it is granted, because the signal came in between, is
   * given back.
   * @param options `wait`: default that of the module.
   * @throws LockTimeoutError after `wait`, LockConflictError where `wait` is 0; `details.available` tells how many there
   *   were, `details.isSet` whether anybody had set them. LockAbortedError, LockShutdownError, LockUnavailableError
   */
  async acquire(permits = 1, options?: WaitOptions): Promise<void> {
    const { count, limit } = this.request(permits, options, this.runtime.defaults.wait);
    await this.take(count, limit);
  }

  /**
   * Takes permits and resolves with true, or with false when there are too few (Redisson: `tryAcquire`).
   * @param options `wait` defaults to 0, which is exactly one try.
   */
  async tryAcquire(permits = 1, options?: WaitOptions): Promise<boolean> {
    const { count, limit } = this.request(permits, options, 0);
    try {
      await this.take(count, limit);
      return true;
    } catch (error) {
      if (error instanceof LockConflictError || error instanceof LockTimeoutError) return false;
      throw error;
    }
  }

  /**
   * Adds permits and wakes waiters (Redisson: `release`). Where nobody set how many permits there are, that sets them.
   * When it rejects with `LockUnavailableError`, it goes on in the background for a day: do not call it again. Giving up is
   * an event (`given-up`).
   * @throws LockOptionsError where there would be more than 2^31 − 1.
   */
  async release(permits = 1): Promise<void> {
    const count = parseCount(permits, 'permits', PERMITS);
    if (count > 0) await this.transitions.release(this.name, count);
  }

  /** As {@link release}, but only where somebody set how many permits there are; resolves with whether (Redisson: `releaseIfExists`). */
  async releaseIfExists(permits = 1): Promise<boolean> {
    const count = parseCount(permits, 'permits', PERMITS);
    return count > 0 && this.transitions.releaseIfExists(this.name, count);
  }

  /**
   * Takes all permits there are and resolves with how many (Redisson: `drainPermits`); fewer than 0 where
   * {@link addPermits} had left so few. A time to live given by {@link trySetPermits} is gone afterwards.
   */
  drainPermits(): Promise<number> {
    return this.transitions.drain(this.name);
  }

  /**
   * Changes how many permits there are; those that are out stay out, so there may be fewer than 0 available afterwards
   * (Redisson: `addPermits`). A time to live given by {@link trySetPermits} is gone afterwards.
   * @param delta May be negative.
   */
  async addPermits(delta: number): Promise<void> {
    await this.transitions.add(this.name, parseCount(delta, 'delta', DELTA));
  }

  /** How many permits can be taken now; 0 where nobody has set any (Redisson: `availablePermits`). */
  availablePermits(): Promise<number> {
    return this.transitions.count(this.name);
  }

  /** Deletes the semaphore (Redisson: `delete`). Waiters go on waiting for permits. True if there was one. */
  delete(): Promise<boolean> {
    return this.transitions.delete(this.name);
  }

  /**
   * Takes permits, runs `fn`, and gives them back to the semaphore if it still exists. The result or error of `fn` is what
   * comes out; what goes wrong when they are given back is an event. A shutdown waits for such work as it does for holds.
   */
  withPermits<T>(permits: number, fn: () => T | Promise<T>): Promise<T>;
  withPermits<T>(permits: number, options: WaitOptions, fn: () => T | Promise<T>): Promise<T>;
  async withPermits<T>(
    permits: number,
    ...call: [fn: () => T | Promise<T>] | [options: WaitOptions, fn: () => T | Promise<T>]
  ): Promise<T> {
    const [options, fn] = call.length === 1 ? [undefined, call[0]] : call;
    if (typeof fn !== 'function') throw new LockOptionsError(`withPermits needs a function, not ${formatValue(fn)}`);
    const { count, limit } = this.request(permits, options, this.runtime.defaults.wait);
    const { run, leave } = await this.enter(count, limit);
    try {
      return await run(fn);
    } finally {
      await leave();
    }
  }

  /** @internal Permits for work that runs with them, until it leaves. A shutdown waits for that as it does for holds. */
  async enter(permits: number, limit: WaitLimit): Promise<CriticalSection> {
    await this.take(permits, limit);
    const left = this.runtime.permitsInUse.begin();
    const giveBack = (): Promise<void> => this.giveBack(permits).finally(left);
    let leaving: Promise<void> | undefined;
    return {
      run: (fn) => fn(),
      leave: (kept) => (leaving ??= kept ? kept.then(giveBack) : giveBack()),
    };
  }

  private get transitions(): LockBackend['semaphore'] {
    return this.runtime.backend.semaphore;
  }

  private request(
    permits: number,
    options: WaitOptions | undefined,
    defaultWait: number,
  ): { readonly count: number; readonly limit: WaitLimit } {
    const count = parseCount(permits, 'permits', PERMITS);
    const limit = parseWaitOptions(options, defaultWait, this.runtime.scheduler);
    return { count, limit };
  }

  private async take(permits: number, limit: WaitLimit): Promise<void> {
    const { name, template, runtime } = this;
    const asked = { what: 'Semaphore', name, template, limit: limit.withShutdown(runtime.shutdown) };
    if (permits > 0) {
      await runtime.semaphores.acquire(asked, permits);
    } else if (asked.limit.ended?.cause === 'aborted') {
      throw refusal(asked, asked.limit.ended, undefined);
    }
  }

  private async giveBack(permits: number): Promise<void> {
    try {
      await this.releaseIfExists(permits);
    } catch (error) {
      this.runtime.events.emit({ type: 'permits-release-failed', lockName: this.name, permits, error });
    }
  }
}
