import { isConflict, LockOwnershipError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { type Duration, parseLease } from '../time/duration.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { AcquiredPermits, WantedPermits } from '../waiting/permit-attempts.js';
import { isObserved, ObservedAcquisition, type Taken } from '../waiting/observed-acquisition.js';
import { type GrantedPermit, permitsOf } from './granted-permit.js';
import { GrantedPermits, type GrantedPermitServices } from './granted-permits.js';
import type { Permit } from './permit.js';
import { DELTA, parsePermitId, parsePermitIds, parseWanted, type PermitOptions, PERMITS } from './permit.options.js';
import type { SynchronizerServices } from './synchronizer-services.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import { inspectPermits } from '../inspection/inspect-lock.js';
import { parseCount, parseWork, type WorkArguments } from '../validation/options.js';

/** Services shared by the permit-expirable semaphores of one connection. */
export interface PermitServices extends SynchronizerServices, GrantedPermitServices {
  /** Acquires permits with ids and leases. */
  readonly expirablePermits: Acquirer<WantedPermits, AcquiredPermits>;
}

/**
 * A semaphore whose permits each have an id and may have a lease (Redisson: `RPermitExpirableSemaphore`). Any process
 * that knows the id can release the permit; a permit whose lease has ended returns to the pool by itself, and one that
 * is renewed does so when its process has died. Leases are
 * measured by the server's clock; a {@link Permit} knows until when it is certainly held. Callers that want fewer
 * permits do not wait for those that want more; waiters have no other order.
 *
 * Every method rejects with `LockOptionsError` for invalid values, before anything is sent, with `LockKeyTypeError` if
 * the name belongs to something else, and with `LockUnavailableError` if Redis cannot answer in time. In every case a
 * call takes effect at most once.
 *
 * @example
 * const seats = locks.getPermitExpirableSemaphore('hall:7');
 * await seats.trySetPermits(200);
 * const seat = await seats.acquire({ lease: '10m', wait: '3s' });
 * await book(seat.id, seat.signal);
 * await seats.release(seat);          // or seats.release(id), in any process
 */
export class PermitExpirableSemaphore {
  private readonly granted: GrantedPermits;

  /** @internal Created by `LockService`. */
  constructor(
    private readonly runtime: PermitServices,
    /** The semaphore's name, as stored in Redis. */
    readonly name: string,
  ) {
    this.granted = new GrantedPermits(runtime, name);
  }

  /**
   * Acquires a permit, waiting if necessary (Redisson: `acquire`). As a string, the permit is its id.
   * @throws LockTimeoutError after `wait`, LockConflictError if `wait` is 0; `details.available` is the number of
   *   available permits, `details.isSet` tells whether the number of permits was ever set. LockAbortedError,
   *   LockShutdownError
   */
  async acquire(options?: PermitOptions): Promise<Permit> {
    const [permit] = this.granted.handedOut(await this.take(1, options, this.runtime.defaults.wait));
    return permit;
  }

  /** As {@link acquire}, for 1 to 10 000 permits at once: all or none. Their leases start together. */
  async acquireMany(permits: number, options?: PermitOptions): Promise<Permit[]> {
    return this.granted.handedOut(await this.take(permits, options, this.runtime.defaults.wait));
  }

  /**
   * Acquires a permit, or resolves with null if none is available (Redisson: `tryAcquire`).
   * @param options `wait` defaults to 0, which means exactly one attempt.
   */
  async tryAcquire(options?: PermitOptions): Promise<Permit | null> {
    const [permit = null] = (await this.tryTake(1, options)) ?? [];
    return permit;
  }

  /** As {@link tryAcquire}, for 1 to 10 000 permits at once: all or none. Their leases start together. */
  async tryAcquireMany(permits: number, options?: PermitOptions): Promise<Permit[] | null> {
    return this.tryTake(permits, options);
  }

  /**
   * Releases a permit, or several: all or none (Redisson: `release`). If it rejects with `LockUnavailableError`, it
   * continues in the background until Redis has answered or the application shuts down.
   * @param permits Permits or their ids.
   * @throws LockOwnershipError, naming the ids, if one of the permits is not held: it was released before, or its lease
   *   has ended, so another holder may have had it. A single permit is back in the pool even then.
   */
  async release(permits: string | Permit | readonly (string | Permit)[]): Promise<void> {
    if (await this.tryRelease(permits)) return;
    const ids = [permits].flat().map(parsePermitId);
    const which = ids.length === 1 ? `Permit ${ids[0]} is not` : `Not all of the permits ${formatValue(ids)} are`;
    throw new LockOwnershipError(
      `${which} acquired from semaphore "${this.name}": already released, or the lease ended, so others may have had it`,
      { lockName: this.name, details: { permits: ids } },
    );
  }

  /** As {@link release}, but resolves with false in place of `LockOwnershipError` (Redisson: `tryRelease`). */
  async tryRelease(permits: string | Permit | readonly (string | Permit)[]): Promise<boolean> {
    if (Array.isArray(permits)) return this.granted.releaseAll(parsePermitIds(permits));
    return this.granted.releaseOne(parsePermitId(permits));
  }

  /**
   * Sets the lease of a permit to `lease` from now, longer or shorter than before (Redisson: `updateLeaseTime`). A
   * permit granted in this process gets the new deadline, unless its own deadline has passed: then it stays lost. One
   * that the watchdog of this process renews is renewed no longer; that of another process goes on renewing it.
   * @param permit A permit, or its id.
   * @param lease In ms or such as `'30s'`; absent: until it is released.
   * @returns false if the permit is no longer held.
   */
  async updateLeaseTime(permit: string | Permit, lease?: Duration): Promise<boolean> {
    const id = parsePermitId(permit);
    const ms = lease === undefined ? Number.POSITIVE_INFINITY : parseLease(lease, 'lease');
    const ask = () => this.operations.updateLease(this.name, id, ms);
    const { outcome } = await (this.granted.find(id)?.changeLease(ms, ask) ?? ask());
    return outcome === 'held';
  }

  /**
   * Milliseconds until the permit's lease ends, by the server's clock; −1 if it has none (Redisson: `getLeaseTime`).
   * @param permit A permit, or its id.
   * @throws LockOwnershipError if the permit is not held.
   */
  async leaseTime(permit: string | Permit): Promise<number> {
    const id = parsePermitId(permit);
    const lease = await this.operations.lease(this.name, id);
    if (lease === undefined) {
      this.granted.find(id)?.gone();
      throw new LockOwnershipError(`Permit ${id} is not acquired from semaphore "${this.name}": it has no lease`, {
        lockName: this.name,
        details: { permits: [id] },
      });
    }
    return Number.isFinite(lease) ? lease : -1;
  }

  /** Sets the number of permits, unless it is set already (Redisson: `trySetPermits`). Returns true if it was set. */
  async trySetPermits(permits: number): Promise<boolean> {
    return this.operations.trySetPermits(this.name, parseCount(permits, 'permits', PERMITS));
  }

  /**
   * Sets the total number of permits, including acquired ones (Redisson: `setPermits`). If more are acquired, the
   * number of available permits is negative until they are released.
   */
  async setPermits(permits: number): Promise<void> {
    await this.operations.setPermits(this.name, parseCount(permits, 'permits', PERMITS));
  }

  /**
   * Changes the number of permits (Redisson: `addPermits`). Acquired permits stay acquired, so the number of available
   * ones may become negative. Removes the semaphore's time to live, if any.
   * @param delta May be negative.
   * @throws LockOptionsError also if more than 2^31 − 1 would be available.
   */
  async addPermits(delta: number): Promise<void> {
    await this.operations.addPermits(this.name, parseCount(delta, 'delta', DELTA));
  }

  /** Number of permits available now; 0 if no number was set (Redisson: `availablePermits`). */
  async availablePermits(): Promise<number> {
    return (await this.operations.inspect(this.name)).available;
  }

  /** Number of acquired permits (Redisson: `acquiredPermits`). */
  async acquiredPermits(): Promise<number> {
    return (await this.operations.inspect(this.name)).out;
  }

  /** Total number of permits; 0 if no number was set (Redisson: `getPermits`). */
  async permits(): Promise<number> {
    const { isSet, available, out } = await this.operations.inspect(this.name);
    return isSet ? available + out : 0;
  }

  /** The permits in use with their leases, and who waits. A key of another type is described by `problem`. */
  inspect(): Promise<InspectedLock> {
    return inspectPermits(this.runtime, this.name);
  }

  /** Deletes the semaphore with its acquired permits (Redisson: `delete`). Waiters keep waiting. True if it existed. */
  delete(): Promise<boolean> {
    return this.operations.delete(this.name);
  }

  /**
   * Acquires a permit, runs `fn`, and releases it. Returns the result of `fn`, or rejects with its error. If the lease
   * had ended before, or the release failed, that is an event. With `renew: true` the permit lasts as long as the work
   * and the process; without `renew` and `lease`, that of a process that dies is lost for good. Work that may outlast
   * its lease must listen to `permit.signal`. A shutdown waits for such work as it does for holds of locks.
   */
  withPermit<T>(fn: (permit: Permit) => T | Promise<T>): Promise<T>;
  /** Runs `fn` with a permit, acquired with these options, and releases it afterwards. */
  withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | Promise<T>): Promise<T>;
  async withPermit<T>(...given: WorkArguments<PermitOptions, (permit: Permit) => T | Promise<T>>): Promise<T> {
    const [options, work] = parseWork('withPermit', given);
    const [permit] = await this.take(1, options, this.runtime.defaults.wait);
    const left = this.runtime.permitsInUse.begin();
    this.granted.tellOfLoss(permit);
    try {
      return await work(permit);
    } finally {
      await this.granted.releaseQuietly(permit).finally(left);
    }
  }

  private get operations(): LockBackend['permitExpirableSemaphore'] {
    return this.runtime.backend.permitExpirableSemaphore;
  }

  private async take(
    permits: number,
    options: PermitOptions | undefined,
    defaultWait: number,
  ): Promise<[GrantedPermit, ...GrantedPermit[]]> {
    const { name, runtime } = this;
    const { events, scheduler, shutdown, expirablePermits, watchdog, grants } = runtime;
    const { wanted, limit, isRenewed } = parseWanted(permits, options, defaultWait, scheduler, watchdog.timeout);
    const acquiredAt = isRenewed ? grants.callerPlaces.find(scheduler.now()) : undefined;
    const observer = isObserved(events) ? new ObservedAcquisition(events, permitsOf(runtime, name), limit) : undefined;
    const asked = { what: 'Semaphore', name, template: undefined, limit: limit.withShutdown(shutdown), observer };
    const acquiring = expirablePermits.acquire(asked, wanted, (acquired) =>
      this.granted.add(acquired, isRenewed, acquiredAt),
    );
    const taken = (permit: GrantedPermit): Taken => ({ hold: permit, owner: permit.id, waited: limit.waited });
    return observer?.follow(acquiring, ([first, ...more]) => [taken(first), ...more.map(taken)]) ?? acquiring;
  }

  private async tryTake(permits: number, options: PermitOptions | undefined): Promise<Permit[] | null> {
    try {
      return this.granted.handedOut(await this.take(permits, options, 0));
    } catch (error) {
      if (isConflict(error)) return null;
      throw error;
    }
  }
}
