import { MOST_PERMITS } from '../backend/counter-operations.js';
import { LockConflictError, LockOptionsError, LockOwnershipError, LockTimeoutError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { type Duration, parseLease } from '../time/duration.js';
import type { LockBackend } from '../backend/lock-backend.js';
import type { InFlight } from '../concurrency/in-flight.js';
import type { AcquireServices } from '../waiting/acquire.options.js';
import type { Acquirer } from '../waiting/acquirer.js';
import type { AcquiredPermits, WantedPermits } from '../waiting/permit-attempts.js';
import type { GrantedPermit } from './granted-permit.js';
import { type GrantedPermitServices, GrantedPermits } from './granted-permits.js';
import type { Permit } from './permit.js';
import { parsePermitId, parsePermitIds, parseWanted, type PermitOptions, parseCount } from './permit.options.js';

const PERMITS = { min: 0, max: MOST_PERMITS };
const DELTA = { min: -MOST_PERMITS, max: MOST_PERMITS };

/** What the semaphores of one connection share whose permits have ids. */
export interface PermitServices extends AcquireServices, GrantedPermitServices {
  /** How permits are taken that have ids and leases. */
  readonly expirablePermits: Acquirer<WantedPermits, AcquiredPermits>;
  readonly shutdown: AbortSignal;
  /** Work that runs with permits and gives them back at its end. */
  readonly permitsInUse: InFlight;
}

/**
 * A number of permits that each have an id and may have a lease (Redisson: `RPermitExpirableSemaphore`). Any process that
 * knows the id can release the permit; a permit whose lease is over returns by itself. Leases are counted by the clock of
 * the server; a {@link Permit} knows until when it is certainly out. Callers that want fewer permits do not wait for those
 * that want more; there is no other order among waiters.
 *
 * Everything here rejects with `LockOptionsError` for values that make no sense, before anything is sent, with
 * `WrongKeyTypeError` where the name belongs to something else, and with `LockUnavailableError` where Redis cannot
 * answer in time; whatever the answer, a call has its effect at most once.
 *
 * @example
 * const seats = locks.getPermitExpirableSemaphore('hall:7');
 * await seats.trySetPermits(200);
 * const seat = await seats.acquire({ lease: '10m', wait: '3s' });
 * await book(seat.id, seat.signal);
 * await seats.release(seat);          // or seats.release(id), in whichever process
 */
export class PermitExpirableSemaphore {
  private readonly granted: GrantedPermits;

  /** Made by `LockService`. */
  constructor(
    private readonly runtime: PermitServices,
    /** The semaphore's name, as it stands in Redis. */
    readonly name: string,
  ) {
    this.granted = new GrantedPermits(runtime, name);
  }

  /**
   * Takes a permit, waiting for it if need be (Redisson: `acquire`). The permit is its id wherever text is wanted.
   * @throws LockTimeoutError after `wait`, LockConflictError where `wait` is 0; `details.available` tells how many there
   *   were, `details.isSet` whether anybody had set them. LockAbortedError, LockShutdownError
   */
  async acquire(options?: PermitOptions): Promise<Permit> {
    const [permit] = await this.take(1, options, this.runtime.defaults.wait);
    return permit;
  }

  /** As {@link acquire}, for as many permits at once, 1 to 10 000: all of them or none. Their leases begin together. */
  async acquireMany(permits: number, options?: PermitOptions): Promise<Permit[]> {
    return this.take(permits, options, this.runtime.defaults.wait);
  }

  /**
   * Takes a permit, or resolves with null when there is none (Redisson: `tryAcquire`).
   * @param options `wait` defaults to 0, which is exactly one try.
   */
  async tryAcquire(options?: PermitOptions): Promise<Permit | null> {
    const [permit = null] = (await this.tryTake(1, options)) ?? [];
    return permit;
  }

  /** As {@link tryAcquire}, for as many permits at once, 1 to 10 000: all of them or none. Their leases begin together. */
  async tryAcquireMany(permits: number, options?: PermitOptions): Promise<Permit[] | null> {
    return this.tryTake(permits, options);
  }

  /**
   * Returns a permit, or several: all of them or none (Redisson: `release`). When it rejects with
   * `LockUnavailableError`, it goes on in the background until Redis has answered or the application shuts down.
   * @param permits Permits or their ids.
   * @throws LockOwnershipError naming the ids, where one of them is not out: it was released before, or its lease is
   *   over, so that somebody else may have had it. A single permit is in the pool again all the same.
   */
  async release(permits: string | Permit | readonly (string | Permit)[]): Promise<void> {
    if (await this.tryRelease(permits)) return;
    const ids = [permits].flat().map(parsePermitId);
    const which = ids.length === 1 ? `Permit ${ids[0]} is` : `Of the permits ${formatValue(ids)}, not all are`;
    throw new LockOwnershipError(
      `${which} out of semaphore "${this.name}": released before, or the lease was over, so others may have had it`,
      { lockName: this.name, details: { permits: ids } },
    );
  }

  /** As {@link release}; resolves with false where that throws `LockOwnershipError` (Redisson: `tryRelease`). */
  async tryRelease(permits: string | Permit | readonly (string | Permit)[]): Promise<boolean> {
    if (Array.isArray(permits)) return this.granted.releaseAll(parsePermitIds(permits));
    return this.granted.releaseOne(parsePermitId(permits));
  }

  /**
   * Makes a permit last for `lease` from now, longer or shorter than before (Redisson: `updateLeaseTime`). A permit that was
   * granted in this process gets the new deadline, unless its own had passed: then it stays lost.
   * @param permit A permit, or its id.
   * @param lease In ms or such as `'30s'`; absent: until it is released.
   * @returns false where the permit is not out any more.
   */
  async updateLeaseTime(permit: string | Permit, lease?: Duration): Promise<boolean> {
    const id = parsePermitId(permit);
    const ms = lease === undefined ? Number.POSITIVE_INFINITY : parseLease(lease, 'lease');
    const ask = () => this.transitions.updateLease(this.name, id, ms);
    const { outcome } = await (this.granted.find(id)?.changeLease(ms, ask) ?? ask());
    return outcome === 'held';
  }

  /**
   * Milliseconds until the permit returns by itself, by the server; −1 where it never does (Redisson: `getLeaseTime`).
   * @param permit A permit, or its id.
   * @throws LockOwnershipError where it is not out.
   */
  async leaseTime(permit: string | Permit): Promise<number> {
    const id = parsePermitId(permit);
    const lease = await this.transitions.lease(this.name, id);
    if (lease === undefined) {
      this.granted.find(id)?.gone();
      throw new LockOwnershipError(`Permit ${id} is not out of semaphore "${this.name}": it has no lease`, {
        lockName: this.name,
        details: { permits: [id] },
      });
    }
    return Number.isFinite(lease) ? lease : -1;
  }

  /**
   * Sets how many permits there are, unless that was done before (Redisson: `trySetPermits`). True if it was done now.
   */
  async trySetPermits(permits: number): Promise<boolean> {
    return this.transitions.trySetPermits(this.name, parseCount(permits, 'permits', PERMITS));
  }

  /**
   * Sets how many permits there are in all, those that are out included (Redisson: `setPermits`). Where more are out,
   * fewer than 0 are available until they have returned.
   */
  async setPermits(permits: number): Promise<void> {
    await this.transitions.setPermits(this.name, parseCount(permits, 'permits', PERMITS));
  }

  /**
   * Changes how many permits there are (Redisson: `addPermits`). Those that are out stay out, so fewer than 0 may be
   * available afterwards. A time to live of the semaphore is gone afterwards.
   * @param delta May be negative.
   * @throws LockOptionsError also where more than 2^31 − 1 would be available.
   */
  async addPermits(delta: number): Promise<void> {
    await this.transitions.addPermits(this.name, parseCount(delta, 'delta', DELTA));
  }

  /** How many permits can be taken now; 0 where nobody has set any (Redisson: `availablePermits`). */
  async availablePermits(): Promise<number> {
    return (await this.transitions.inspect(this.name)).available;
  }

  /** How many permits are out (Redisson: `acquiredPermits`). */
  async acquiredPermits(): Promise<number> {
    return (await this.transitions.inspect(this.name)).out;
  }

  /** How many permits there are in all; 0 where nobody has set any (Redisson: `getPermits`). */
  async permits(): Promise<number> {
    const { isSet, available, out } = await this.transitions.inspect(this.name);
    return isSet ? available + out : 0;
  }

  /** Deletes the semaphore with the permits that are out (Redisson: `delete`). Waiters go on waiting. True if there was one. */
  delete(): Promise<boolean> {
    return this.transitions.delete(this.name);
  }

  /**
   * Takes a permit, runs `fn`, and releases it. The result or error of `fn` is what comes out; that the lease was over
   * before, or that the release failed, is an event. Work that may outlast its lease has to heed `permit.signal`. A shutdown
   * waits for such work as it does for holds of locks.
   */
  withPermit<T>(fn: (permit: Permit) => T | Promise<T>): Promise<T>;
  withPermit<T>(options: PermitOptions, fn: (permit: Permit) => T | Promise<T>): Promise<T>;
  async withPermit<T>(
    ...call: [fn: (permit: Permit) => T | Promise<T>] | [options: PermitOptions, fn: (permit: Permit) => T | Promise<T>]
  ): Promise<T> {
    const [options, fn] = call.length === 1 ? [undefined, call[0]] : call;
    if (typeof fn !== 'function')
      throw new LockOptionsError(`withPermit needs a function to run, not ${formatValue(fn)}`);
    const [permit] = await this.take(1, options, this.runtime.defaults.wait);
    const left = this.runtime.permitsInUse.begin();
    this.granted.tellOfLoss(permit);
    try {
      return await fn(permit);
    } finally {
      await this.granted.releaseQuietly(permit).finally(left);
    }
  }

  private get transitions(): LockBackend['permitExpirableSemaphore'] {
    return this.runtime.backend.permitExpirableSemaphore;
  }

  private async take(
    permits: number,
    options: PermitOptions | undefined,
    defaultWait: number,
  ): Promise<[GrantedPermit, ...GrantedPermit[]]> {
    const { scheduler, shutdown, expirablePermits } = this.runtime;
    const { wanted, limit } = parseWanted(permits, options, defaultWait, scheduler);
    const asked = { what: 'Semaphore', name: this.name, template: undefined, limit: limit.withShutdown(shutdown) };
    return this.granted.add(await expirablePermits.acquire(asked, wanted));
  }

  private async tryTake(permits: number, options: PermitOptions | undefined): Promise<GrantedPermit[] | null> {
    try {
      return await this.take(permits, options, 0);
    } catch (error) {
      if (error instanceof LockConflictError || error instanceof LockTimeoutError) return null;
      throw error;
    }
  }
}
