import { validateName } from './keys/lock-name.js';
import { ConnectionRegistry } from './runtime/connection-registry.js';
import type { LockEvent } from './events/lock-events.js';
import { CountDownLatch } from './synchronizers/count-down-latch.js';
import { currentHold } from './reentrancy/current-hold.js';
import { type FencedLock, FencedReentrantLock } from './locks/fenced-lock.js';
import { GroupLock } from './locks/group-lock.js';
import { parseSingleFlight, type SingleFlightOptions } from './coordination/single-flight.options.js';
import type { Hold } from './holds/hold.js';
import { LeaderElection, type LeaderElectionOptions } from './coordination/leader-election.js';
import { type Lock } from './locks/lock.js';
import { type LockOptions, parseRequest } from './locks/lock.options.js';
import { fullName } from './locks/full-name.js';
import type { LockRuntime } from './runtime/lock-runtime.js';
import { chooseLock, namedLock } from './runtime/chosen-lock.js';
import type { MultiHold } from './holds/multi-hold.js';
import { MultiLock } from './locks/multi-lock.js';
import { NonReentrantLock, type NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
import { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
import { type ReadWriteLock, type ReadWriteLockOptions, ReentrantReadWriteLock } from './locks/read-write-lock.js';
import { quorumLock } from './locks/quorum-lock.js';
import { RedLock } from './locks/red-lock.js';
import type { AsJson } from './coordination/flight-result.js';
import { Semaphore } from './synchronizers/semaphore.js';
import { SingleFlight } from './coordination/single-flight.js';
import { SpinLock } from './locks/spin-lock.js';
import { parseWork, type WorkArguments } from './validation/work-arguments.js';
import { runInScope } from './context/run-in-scope.js';
import type { Backoff } from './waiting/backoff.js';

type Work<T> = (hold: Hold) => T | Promise<T>;

/**
 * Entry point to all locks; inject it.
 *
 * @example
 * await this.locks.withLock(`order:${id}`, { wait: '3s' }, async (hold) => {
 *   await pay(id, hold.signal);
 * });
 */
export class LockService {
  /**
   * Created by `RedisLockModule`.
   * @param runtime Services of the default connection.
   * @param connections The other connections.
   * @param seen The connections that `currentHold()` and `onEvent()` cover.
   */
  constructor(
    private readonly runtime: LockRuntime,
    private readonly connections = new ConnectionRegistry(runtime),
    private readonly seen: readonly LockRuntime[] = connections.all,
  ) {}

  /**
   * The same service for one of the module's `connections`. Sends nothing.
   * @throws LockOptionsError for an unknown connection; the error names the known ones.
   *
   * @example
   * await locks.forConnection('billing').getFairLock('invoice:7').acquire();
   */
  forConnection(name: string): LockService {
    const runtime = this.connections.named(name);
    return new LockService(runtime, this.connections, [runtime]);
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

  /** Runs `fn` under the lock and releases it afterwards. Returns the result of `fn`, or rejects with its error. */
  withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  withLock<T>(name: string, options: LockOptions, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  async withLock<T>(name: string, ...given: WorkArguments<LockOptions, Work<T>>): Promise<T> {
    const [options, work] = parseWork('withLock', given);
    const { lock, request } = chooseLock(this.runtime, this.connections, name, options);
    return lock.runLocked(lock.accept(request), work);
  }

  /**
   * Runs `fn` once for concurrent callers of this result, in all processes, and shares its result or error with them.
   * Every caller gets the result decoded from JSON.
   * @param name Names the result. Independent of locks of the same name.
   * @throws the error of `fn`; LockTimeoutError if another caller's run takes longer than `wait`; LockLostError for a
   *   nested call whose outer lock was lost; all other errors of acquiring a lock; TypeError for a result that JSON
   *   cannot represent.
   */
  singleFlight<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
  singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
  async singleFlight<T>(name: string, ...given: WorkArguments<SingleFlightOptions, Work<T>>): Promise<AsJson<T>> {
    const [flightOptions, work] = parseWork('singleFlight', given);
    const { plan, connection, options } = parseSingleFlight(flightOptions);
    const runtime = connection === undefined ? this.runtime : this.connections.named(connection);
    const flight = new SingleFlight(runtime, name, undefined, plan);
    return (await flight.share(parseRequest(options, runtime.defaults.wait), work)) as AsJson<T>;
  }

  /** Acquires the lock, waiting if necessary. Release it with `hold.release()`, or by `await using`. */
  acquire(name: string, options?: LockOptions): Promise<Hold> {
    try {
      const { lock, request } = chooseLock(this.runtime, this.connections, name, options);
      // No async wrapper: there may be many waiters, and each would pay for an extra promise.
      return lock.take(lock.accept(request));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Acquires the lock, or resolves with null if another owner holds it. `wait` defaults to 0: exactly one attempt. */
  async tryAcquire(name: string, options?: LockOptions): Promise<Hold | null> {
    const { lock, request } = chooseLock(this.runtime, this.connections, name, options, 0);
    return lock.tryAcquire(request);
  }

  /**
   * Runs `fn` as one owner for everything acquired inside, like a thread: its locks can be acquired again, and
   * `lock.release()` finds their holds. Starts as a new owner without holds, even if the caller holds locks.
   */
  runInScope<T>(fn: () => T | Promise<T>): Promise<T> {
    return runInScope(fn);
  }

  /**
   * The hold that the running code is under: of the lock `name`, or the innermost one, which may cover several locks.
   * Local, without a round trip. Covers all connections; a service made by {@link forConnection} covers only its own.
   */
  currentHold(name?: string): Hold | undefined {
    if (name !== undefined) validateName(name, this.runtime.defaults.names);
    return currentHold(this.seen, name);
  }

  /**
   * Calls `listener` for events outside of calls: a lost hold, a failed renewal, a hold kept for too long, a change of
   * a server's clock. Covers all connections; a service made by {@link forConnection} covers only its own. Errors
   * thrown by a listener have no effect on locks or on other listeners. Listeners run outside all locks and scopes: a
   * lock that a listener acquires is never a re-entry.
   * @returns A function that removes the listener.
   */
  onEvent(listener: (event: LockEvent) => void): () => void {
    const stops = this.seen.map(({ events }) => events.on(listener));
    return () => stops.forEach((stop) => stop());
  }

  private fullName(name: string): string {
    return fullName(name, this.runtime.defaults);
  }
}
