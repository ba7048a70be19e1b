import { isConflict } from '../errors.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import { inspectSemaphore } from '../inspection/inspect-lock.js';
import { parseCount, parseWork, type WorkArguments } from '../validation/options.js';
import type { OfLock } from '../events/life-cycle-events.js';
import { type Duration, MAX_DURATION, parseDuration } from '../time/duration.js';
import type { WaitLimit } from '../time/wait-limit.js';
import { isObserved, ObservedAcquisition } from '../waiting/observed-acquisition.js';
import { refusal } from '../waiting/wait-errors.js';
import { DELTA, PERMITS } from './permit.options.js';
import type { SynchronizerServices } from './synchronizer-services.js';
import { parseTtl, type TtlOptions } from './ttl.options.js';
import type { CriticalSection } from '../reentrancy/critical-section.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { TakenPermits } from '../waiting/permit-attempts.js';
import { parseWaitOptions, type WaitOptions } from '../waiting/acquire.options.js';

/** Options for setting the number of permits. */
export type SetPermitsOptions = TtlOptions;

/** Services shared by the semaphores of one connection. */
export interface SemaphoreServices extends SynchronizerServices {
  /** Acquires permits. `Wanted` is their number. */
  readonly semaphores: Acquirer<number, TakenPermits>;
}

/**
 * A semaphore whose permits have no owner (Redisson: `RSemaphore`): any process may release permits, whichever acquired
 * them. A process that dies loses the permits it has for good: they are out of use until they are added again by
 * `addPermits()`. So use a semaphore for data shared with Redisson; otherwise `withLock(name, { limit: n }, fn)` or
 * `@Locked(name, { limit: n })`, whose permits have an owner and a lease. For permits that expire, see
 * `getPermitExpirableSemaphore`. A caller that finds enough permits takes them: waiters have no order.
 *
 * Permits are integers up to 2^31 − 1. Every method rejects with `LockOptionsError` for other values, with
 * `LockKeyTypeError` if the name belongs to something else, and with `LockUnavailableError` if Redis cannot answer in
 * time. In every case a call takes effect at most once.
 *
 * @example
 * const semaphore = locks.getSemaphore('exports');
 * await semaphore.trySetPermits(3);
 * await semaphore.withPermits(1, { wait: '30s' }, () => exportOrders());
 */
export class Semaphore {
  /** @internal Created by `LockService`. */
  constructor(
    private readonly runtime: SemaphoreServices,
    /** The semaphore's name, as stored in Redis. */
    readonly name: string,
    private readonly template?: string,
  ) {}

  /**
   * Sets the number of permits, unless it is set already (Redisson: `trySetPermits`). Returns true if it was set.
   * @throws LockOptionsError
   */
  async trySetPermits(permits: number, options?: SetPermitsOptions): Promise<boolean> {
    const count = parseCount(permits, 'permits', PERMITS);
    return this.operations.trySet(this.name, count, parseTtl(options, 'trySetPermits'));
  }

  /**
   * Acquires permits, waiting if necessary (Redisson: `acquire`). Callers that want fewer permits do not wait for those
   * that want more. Does nothing for 0 permits. Permits granted after the signal aborted are released again.
   * @param options `wait`: default that of the module.
   * @throws LockTimeoutError after `wait`, LockConflictError if `wait` is 0; `details.available` is the number of
   *   available permits, `details.isSet` tells whether the number of permits was ever set. LockAbortedError,
   *   LockShutdownError, LockUnavailableError
   */
  async acquire(permits = 1, options?: WaitOptions): Promise<void> {
    const { count, limit } = this.request(permits, options, this.runtime.defaults.wait);
    await this.take(count, limit);
  }

  /**
   * Acquires permits and resolves with true, or with false if too few are available (Redisson: `tryAcquire`).
   * @param options `wait` defaults to 0, which means exactly one attempt.
   */
  async tryAcquire(permits = 1, options?: WaitOptions): Promise<boolean> {
    const { count, limit } = this.request(permits, options, 0);
    try {
      await this.take(count, limit);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /**
   * Adds permits and wakes waiters (Redisson: `release`). If the number of permits was never set, this sets it. If it
   * rejects with `LockUnavailableError`, it continues in the background for a day: do not call it again. Giving up is
   * an event (`given-up`).
   * @throws LockOptionsError if there would be more than 2^31 − 1.
   */
  async release(permits = 1): Promise<void> {
    const count = parseCount(permits, 'permits', PERMITS);
    if (count === 0) return;
    await this.operations.release(this.name, count);
    this.tellRelease();
  }

  /**
   * As {@link release}, but only if the number of permits was set. Resolves with true if it was (Redisson:
   * `releaseIfExists`).
   */
  async releaseIfExists(permits = 1): Promise<boolean> {
    const count = parseCount(permits, 'permits', PERMITS);
    const exists = count > 0 && (await this.operations.releaseIfExists(this.name, count));
    if (exists) this.tellRelease();
    return exists;
  }

  /**
   * Acquires all available permits and resolves with their number (Redisson: `drainPermits`), which is negative if
   * {@link addPermits} made it so. Removes a time to live set by {@link trySetPermits}.
   */
  drainPermits(): Promise<number> {
    return this.operations.drain(this.name);
  }

  /**
   * Changes the number of permits; acquired ones stay acquired, so the number of available permits may become negative
   * (Redisson: `addPermits`). Removes a time to live set by {@link trySetPermits}.
   * @param delta May be negative.
   */
  async addPermits(delta: number): Promise<void> {
    await this.operations.add(this.name, parseCount(delta, 'delta', DELTA));
  }

  /**
   * Deletes the semaphore after this time, unless that is changed before (Redisson: `expire`). Acquired permits are not given back
   * to a semaphore that has expired.
   * @param ttl In ms or such as `'10m'`.
   * @returns false if there is no semaphore.
   */
  async expire(ttl: Duration): Promise<boolean> {
    return this.operations.expire(this.name, parseDuration(ttl, 'ttl', { min: 1, max: MAX_DURATION }));
  }

  /** Keeps the semaphore until it is deleted (Redisson: `clearExpire`). Resolves with false if it would not have expired. */
  clearExpire(): Promise<boolean> {
    return this.operations.expire(this.name, 0);
  }

  /**
   * Milliseconds until the semaphore expires (Redisson: `remainTimeToLive`); `undefined` if it does not, or if there is none.
   */
  async remainingTtl(): Promise<number | undefined> {
    const { remaining } = await this.operations.inspect(this.name);
    return remaining < 0 ? undefined : remaining;
  }

  /** Number of permits available now; 0 if no number was set (Redisson: `availablePermits`). */
  availablePermits(): Promise<number> {
    return this.operations.count(this.name);
  }

  /**
   * How many permits are available, and how many processes wait for some. A key of another type is described by
   * `problem`, and is no error.
   */
  inspect(): Promise<InspectedLock> {
    return inspectSemaphore(this.runtime, this.name);
  }

  /** Deletes the semaphore (Redisson: `delete`). Waiters keep waiting for permits. Returns true if there was one. */
  delete(): Promise<boolean> {
    return this.operations.delete(this.name);
  }

  /**
   * Acquires permits, runs `fn`, and returns the permits to the semaphore if it still exists. Returns the result of
   * `fn`, or rejects with its error; a failed release is an event. A shutdown waits for such work as it does for holds.
   */
  withPermits<T>(permits: number, fn: () => T | Promise<T>): Promise<T>;
  /** Runs `fn` with so many permits, acquired with these options, and gives them back afterwards. */
  withPermits<T>(permits: number, options: WaitOptions, fn: () => T | Promise<T>): Promise<T>;
  async withPermits<T>(permits: number, ...given: WorkArguments<WaitOptions, () => T | Promise<T>>): Promise<T> {
    const [options, work] = parseWork('withPermits', given);
    const { count, limit } = this.request(permits, options, this.runtime.defaults.wait);
    const { run, leave } = await this.enter(count, limit);
    try {
      return await run(work);
    } finally {
      await leave();
    }
  }

  /** @internal Permits for a critical section. A shutdown waits for its end as it does for holds. */
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

  private get eventFields(): OfLock {
    const { runtime, name: lockName, template } = this;
    return { connection: runtime.connection, kind: 'semaphore', lockName, template, method: undefined };
  }

  private tellRelease(): void {
    const { events } = this.runtime;
    const permit = { owner: undefined, heldFor: undefined };
    if (events.hears('released')) events.emit({ type: 'released', ...this.eventFields, ...permit, how: 'released' });
  }

  private get operations(): LockBackend['semaphore'] {
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
    const { events } = runtime;
    const observer = isObserved(events) ? new ObservedAcquisition(events, this.eventFields, limit) : undefined;
    const asked = { what: 'Semaphore', name, template, limit: limit.withShutdown(runtime.shutdown), observer };
    if (permits > 0) {
      const acquiring = runtime.semaphores.acquire(asked, permits, () => {});
      await (observer?.follow(acquiring, () => [{ owner: undefined, waited: limit.waited }]) ?? acquiring);
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
