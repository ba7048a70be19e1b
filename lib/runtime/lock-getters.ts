import { CountDownLatch } from '../synchronizers/count-down-latch.js';
import { type FencedLock, FencedReentrantLock } from '../locks/fenced-lock.js';
import { GroupLock } from '../locks/group-lock.js';
import { LeaderElection, type LeaderElectionOptions } from '../coordination/leader-election.js';
import { type Lock } from '../locks/lock.js';
import { fullName } from '../locks/full-name.js';
import type { LockRuntime } from './lock-runtime.js';
import { namedLock } from './chosen-lock.js';
import type { MultiHold } from '../holds/multi-hold.js';
import { MultiLock } from '../locks/multi-lock.js';
import { NonReentrantLock, type NonReentrantLockOptions } from '../locks/non-reentrant-lock.js';
import { PermitExpirableSemaphore } from '../synchronizers/permit-expirable-semaphore.js';
import { type ReadWriteLock, type ReadWriteLockOptions, ReentrantReadWriteLock } from '../locks/read-write-lock.js';
import { quorumLock } from '../locks/quorum-lock.js';
import { RedLock } from '../locks/red-lock.js';
import { Semaphore } from '../synchronizers/semaphore.js';
import { SpinLock } from '../locks/spin-lock.js';
import type { Backoff } from '../waiting/backoff.js';

/** The methods of `LockService` that return locks, semaphores and latches by name. They send nothing. */
export abstract class LockGetters {
  /** @internal */
  protected readonly runtime: LockRuntime;

  /** Created by `RedisLockModule` and `createLocks()`. */
  constructor(services: never);
  /** @internal */
  constructor(runtime: LockRuntime);
  constructor(runtime: LockRuntime) {
    this.runtime = runtime;
  }

  /** The reentrant lock of this name (Redisson: `getLock`). Sends nothing. */
  getLock(name: string): Lock {
    return namedLock(this.runtime, name, 'plain');
  }

  /**
   * The lock of this name that serves waiters in order of arrival, across all processes (Redisson: `getFairLock`).
   * Callers that acquire the plain lock of the same name overtake them.
   */
  getFairLock(name: string): Lock {
    return namedLock(this.runtime, name, 'fair');
  }

  /**
   * The lock of this name that its owner cannot acquire twice (Redisson: `getNonReentrantLock`,
   * `getNonReentrantFairLock`).
   * @throws LockOptionsError
   */
  getNonReentrantLock(name: string, options?: NonReentrantLockOptions): Lock {
    return new NonReentrantLock(this.runtime, this.fullName(name), options);
  }

  /** The lock of this name whose holds carry a fencing token, as `hold.fence` (Redisson: `getFencedLock`). */
  getFencedLock(name: string): FencedLock {
    return new FencedReentrantLock(this.runtime, this.fullName(name));
  }

  /**
   * The lock of this name whose waiters poll instead of subscribing to releases (Redisson: `getSpinLock`).
   * @param backoff Pauses between attempts. Default: `exponentialBackoff()`, 1 ms growing to 128 ms.
   */
  getSpinLock(name: string, backoff?: Backoff): Lock {
    return new SpinLock(this.runtime, this.fullName(name), backoff);
  }

  /**
   * Several values of one group as one lock, in one key and by one command (Redisson: `getMultiLock(group, values)`
   * with a string codec). Other values of the group remain free.
   * @throws LockOptionsError if there is no value; LockNameError if a name or value is invalid, or if there are more
   *   values than `maxNames`.
   */
  getGroupLock(group: string, values: readonly string[]): Lock {
    return new GroupLock(this.runtime, this.fullName(group), values);
  }

  /**
   * Several locks as one: all or none (Redisson: `getMultiLock`). Locks of one connection are acquired in the order of
   * their names, which prevents deadlocks.
   * @param locks Names of plain locks, or locks of any kind, also of other connections. Duplicate names count once.
   * @throws LockOptionsError if there is none, or if a lock is given twice; LockNameError if a name is invalid, or if
   *   there are more locks than `maxNames`.
   */
  getMultiLock(...locks: readonly (string | Lock)[]): Lock<MultiHold> {
    return new MultiLock(this.runtime, locks, (each) => namedLock(this.runtime, each, 'plain'));
  }

  /**
   * The lock of this name on a quorum of the independent servers of the module's `redlock` option. It keeps working
   * while a minority of them is down.
   * @throws LockOptionsError if the module has no such servers.
   */
  getRedLock(name: string): Lock;
  /**
   * Several locks as one, of which a majority is enough (Redisson: `getRedLock`).
   * @param locks At least three locks of any kind, usually of connections to different servers.
   * @throws LockOptionsError for fewer than three locks, for a duplicate, and for a value that is not a lock;
   *   LockNameError for more locks than `maxNames`.
   */
  getRedLock(...locks: readonly Lock[]): Lock<MultiHold>;
  getRedLock(...given: readonly (string | Lock)[]): Lock {
    const [name] = given;
    if (typeof name === 'string' && given.length === 1) return quorumLock(this.runtime, this.fullName(name));
    return new RedLock(this.runtime, given);
  }

  /**
   * The read-write lock of this name: many readers or one writer (Redisson: `getReadWriteLock`). Sends nothing.
   * @throws LockOptionsError
   */
  getReadWriteLock(name: string, options?: ReadWriteLockOptions): ReadWriteLock {
    return new ReentrantReadWriteLock(this.runtime, this.fullName(name), options);
  }

  /** The semaphore of this name: permits without an owner (Redisson: `getSemaphore`). Sends nothing. */
  getSemaphore(name: string): Semaphore {
    return new Semaphore(this.runtime, this.fullName(name));
  }

  /** The semaphore of this name whose permits have ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore {
    return new PermitExpirableSemaphore(this.runtime, this.fullName(name));
  }

  /**
   * A candidate in the leader election of this name. At most one candidate among all processes is the leader. It takes
   * part from `start()` to `stop()` or to the end of the application.
   * @throws LockOptionsError
   */
  getLeaderElection(name: string, options: LeaderElectionOptions): LeaderElection {
    return new LeaderElection(namedLock(this.runtime, name, 'plain'), options);
  }

  /** The count-down latch of this name (Redisson: `getCountDownLatch`). Sends nothing. */
  getCountDownLatch(name: string): CountDownLatch {
    return new CountDownLatch(this.runtime, this.fullName(name));
  }

  private fullName(name: string): string {
    return fullName(name, this.runtime.defaults);
  }
}
