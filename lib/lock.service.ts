import { LockOptionsError } from './errors.js';
import { formatValue } from './validation/format-value.js';
import { assertNameCount, validateName } from './keys/lock-name.js';
import { ConnectionRegistry } from './runtime/connection-registry.js';
import type { LockEvent } from './events/lock-events.js';
import { CountDownLatch } from './synchronizers/count-down-latch.js';
import { currentHold } from './reentrancy/enclosing-holds.js';
import { type FencedLock, FencedReentrantLock } from './locks/fenced-lock.js';
import { GroupLock } from './locks/group-lock.js';
import { parseSingleFlight, type SingleFlightOptions } from './coordination/single-flight.options.js';
import type { Hold } from './holds/hold.js';
import { LeaderElection, type LeaderElectionOptions } from './coordination/leader-election.js';
import { type Lock } from './locks/lock.js';
import { type LockOptions, parseChoice, parseRequest, type ChosenKind } from './locks/lock.options.js';
import { fullName, type LockRuntime } from './runtime/lock-runtime.js';
import type { MultiHold } from './holds/multi-hold.js';
import { MultiLock } from './locks/multi-lock.js';
import { NonReentrantLock, type NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
import { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
import { type ReadWriteLock, type ReadWriteLockOptions, ReentrantReadWriteLock } from './locks/read-write-lock.js';
import { quorumLock } from './locks/quorum-lock.js';
import { RedLock } from './locks/red-lock.js';
import type { AsJson } from './coordination/result-codec.js';
import { Semaphore } from './synchronizers/semaphore.js';
import { SingleFlight } from './coordination/single-flight.js';
import { SpinLock } from './locks/spin-lock.js';
import { acceptedTerms, type LockRequest } from './waiting/acquire.options.js';
import { runInRegion, OwnerContext } from './context/owner-context.js';
import type { Backoff } from './waiting/backoff.js';
import { ReentrantLock } from './locks/reentrant-lock.js';

/**
 * The door to all locks: inject it.
 *
 * @example
 * await this.locks.withLock(`order:${id}`, { wait: '3s' }, async (hold) => {
 *   await pay(id, hold.signal);
 * });
 */
export class LockService {
  /**
   * Made by `RedisLockModule`.
   * @param runtime Where locks live that name no connection.
   * @param connections Where else they may live.
   * @param seen On which connections `currentHold()` looks.
   */
  constructor(
    private readonly runtime: LockRuntime,
    private readonly connections = new ConnectionRegistry(runtime),
    private readonly seen: readonly LockRuntime[] = connections.all,
  ) {}

  /**
   * All that this service does, on one of the module's `connections`. Costs nothing; nothing is sent.
   * @throws LockOptionsError for a connection that there is not, naming those that there are.
   *
   * @example
   * await locks.forConnection('billing').getFairLock('invoice:7').acquire();
   */
  forConnection(name: string): LockService {
    const runtime = this.connections.named(name);
    return new LockService(runtime, this.connections, [runtime]);
  }

  /** The reentrant lock of this name (Redisson: `getLock`). Costs nothing; nothing is sent. */
  getLock(name: string): Lock {
    return this.lockFor(name);
  }

  /**
   * The lock of this name that goes to its waiters in the order they came, over all processes (Redisson:
   * `getFairLock`). Whoever takes the plain lock of the name overtakes them.
   */
  getFairLock(name: string): Lock {
    return this.lockFor(name, 'fair');
  }

  /**
   * The lock of this name that its owner cannot take twice (Redisson: `getNonReentrantLock`, `getNonReentrantFairLock`).
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
   * The lock of this name whose waiters ask again and again instead of being told (Redisson: `getSpinLock`).
   * @param backoff How they pause in between. Default: `exponentialBackoff()`, 1 ms growing to 128 ms.
   */
  getSpinLock(name: string, backoff?: Backoff): Lock {
    return new SpinLock(this.runtime, this.fullName(name), backoff);
  }

  /**
   * Several values of one group as one lock, in one key and by one command (Redisson: `getMultiLock(group, values)` with
   * a string codec). Other values of the group are free meanwhile.
   * @throws LockOptionsError when there is no value, LockNameError for a name or value that cannot be used and for more
   *   values than `maxNames`.
   */
  getGroupLock(group: string, values: readonly string[]): Lock {
    return new GroupLock(this.runtime, this.fullName(group), values);
  }

  /**
   * Several locks as one: all of them or none (Redisson: `getMultiLock`). Those of one connection are taken in the order
   * of their names, so that nobody waits for each other in a circle.
   * @param locks Names of plain locks, or locks of any kind, also of other connections. A name that is
   *   given twice counts once.
   * @throws LockOptionsError when there is none, or when a lock is given twice; LockNameError for a name that cannot be
   *   used, and for more locks than `maxNames`.
   */
  getMultiLock(...locks: readonly (string | Lock)[]): Lock<MultiHold> {
    assertNameCount('A multi-lock', locks.length, this.runtime.defaults.maxNames);
    const names = new Set<string>();
    const members = locks.flatMap((lock): readonly Lock[] => {
      if (typeof lock !== 'string') return [lock];
      if (names.has(lock)) return [];
      names.add(lock);
      return [this.lockFor(lock)];
    });
    return new MultiLock(this.runtime, members);
  }

  /**
   * The lock of this name on the independent servers of the module's `redlock` option, of which a quorum decides: it
   * works on while a minority of them is down.
   * @throws LockOptionsError when the module has no such servers.
   */
  getRedLock(name: string): Lock;
  /**
   * Several locks as one of which more than half are enough (Redisson: `getRedLock`).
   * @param locks At least three locks of any kind, usually of connections to different servers.
   * @throws LockOptionsError for fewer, for a lock that is given twice, and for what is no lock; LockNameError for more
   *   locks than `maxNames`.
   */
  getRedLock(...locks: readonly Lock[]): Lock<MultiHold>;
  getRedLock(...given: readonly (string | Lock)[]): Lock {
    const [name] = given;
    if (typeof name === 'string' && given.length === 1) return quorumLock(this.runtime, this.fullName(name));
    return new RedLock(this.runtime, given);
  }

  /**
   * The read-write lock of this name, which many may read or one may write (Redisson: `getReadWriteLock`). Nothing is sent.
   * @throws LockOptionsError
   */
  getReadWriteLock(name: string, options?: ReadWriteLockOptions): ReadWriteLock {
    return new ReentrantReadWriteLock(this.runtime, this.fullName(name), options);
  }

  /** The semaphore of this name: permits that nobody owns (Redisson: `getSemaphore`). Nothing is sent. */
  getSemaphore(name: string): Semaphore {
    return new Semaphore(this.runtime, this.fullName(name));
  }

  /** The semaphore of this name whose permits have ids and leases (Redisson: `getPermitExpirableSemaphore`). */
  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore {
    return new PermitExpirableSemaphore(this.runtime, this.fullName(name));
  }

  /**
   * A candidate for the leadership of this name, of which there is one among all processes at most. It stands from
   * `start()` to `stop()` or to the end of the application.
   * @throws LockOptionsError
   */
  getLeaderElection(name: string, options: LeaderElectionOptions): LeaderElection {
    return new LeaderElection(this.lockFor(name), options);
  }

  /** The count-down latch of this name (Redisson: `getCountDownLatch`). Nothing is sent. */
  getCountDownLatch(name: string): CountDownLatch {
    return new CountDownLatch(this.runtime, this.fullName(name));
  }

  /** Runs `fn` under the lock and releases it afterwards. The result or error of `fn` is what comes out. */
  withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  withLock<T>(name: string, options: LockOptions, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  async withLock<T>(
    name: string,
    ...call: [fn: (hold: Hold) => T | Promise<T>] | [options: LockOptions, fn: (hold: Hold) => T | Promise<T>]
  ): Promise<T> {
    if (call.length === 1) return this.lockFor(name).withLock(call[0]);
    const { lock, request } = this.chosen(name, call[0]);
    return lock.withLock(request, call[1]);
  }

  /**
   * The result of `fn`, or of that of whoever asked for this result before and is still at it, in whatever process; an
   * error alike. Everybody gets it as JSON gives it back.
   * @param name Names the result. Locks of this name have nothing to do with it.
   * @throws what `fn` threw; LockTimeoutError where somebody else's takes longer than `wait`; LockLostError, where it calls
   *   itself, and otherwise what acquiring a lock throws; TypeError for a result that JSON cannot say.
   */
  singleFlight<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
  singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
  async singleFlight<T>(
    name: string,
    ...call: [fn: (hold: Hold) => T | Promise<T>] | [options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>]
  ): Promise<AsJson<T>> {
    const [given, fn] = call.length === 1 ? [undefined, call[0]] : call;
    if (typeof fn !== 'function') {
      throw new LockOptionsError(`singleFlight needs a function to run, not ${formatValue(fn)}`);
    }
    const { plan, connection, options } = parseSingleFlight(given);
    const runtime = connection === undefined ? this.runtime : this.connections.named(connection);
    const terms = acceptedTerms(parseRequest(options, runtime.defaults.wait), runtime);
    const flight = new SingleFlight(runtime, fullName(name, runtime.defaults), undefined, plan);
    return (await flight.share(terms, fn)) as AsJson<T>;
  }

  /** Takes the lock, waiting for it if need be. Release it with `hold.release()`, or by `await using`. */
  acquire(name: string, options?: LockOptions): Promise<Hold> {
    try {
      const { lock, request } = this.chosen(name, options);
      // Of those who wait there may be many, and a promise in between would cost each of them.
      return lock.take(lock.accept(request));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Takes the lock, or resolves with null when somebody else has it. `wait` defaults to 0: exactly one try. */
  async tryAcquire(name: string, options?: LockOptions): Promise<Hold | null> {
    const { lock, request } = this.chosen(name, options, 0);
    return lock.tryAcquire(request);
  }

  /**
   * Runs `fn` as one owner for everything acquired inside, like a thread: what was acquired can be acquired again, and
   * `lock.release()` knows what it means. Starts from nobody, also inside a holder.
   */
  async runInScope<T>(fn: () => T | Promise<T>): Promise<T> {
    const scope = new OwnerContext(undefined);
    try {
      return await runInRegion(scope, fn);
    } finally {
      scope.close();
    }
  }

  /**
   * The hold the running code is under: of the lock `name`, or the innermost, which may be of several locks. Local,
   * without a round trip. Of whatever connection; a service {@link forConnection} sees those of its own only.
   */
  currentHold(name?: string): Hold | undefined {
    if (name !== undefined) validateName(name, this.runtime.defaults.names);
    return currentHold(this.seen, name);
  }

  /**
   * Calls `listener` for everything that happens beside the calls that return: a hold that was lost, a renewal that failed,
   * a hold that is kept for too long, a server's clock that was set. Of all connections; a service {@link forConnection}
   * tells of its own. What a listener throws disturbs nobody. Listeners run outside all locks and scopes: a lock that a
   * listener takes is never a re-entry.
   * @returns How to stop.
   */
  onEvent(listener: (event: LockEvent) => void): () => void {
    const stops = this.seen.map(({ events }) => events.on(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  private lockFor(name: string, kind: ChosenKind = 'plain', runtime = this.runtime): ReentrantLock {
    return new ReentrantLock(runtime, fullName(name, runtime.defaults), undefined, runtime.kinds[kind]);
  }

  /** The lock of the kind, and on the connection, that the options say, and what they say beside that. */
  private chosen(
    name: string,
    given: LockOptions | undefined,
    defaultWait?: number,
  ): { lock: ReentrantLock; request: LockRequest } {
    const { kind, connection, options } = parseChoice(given);
    const runtime = connection === undefined ? this.runtime : this.connections.named(connection);
    const request = parseRequest(options, defaultWait ?? runtime.defaults.wait);
    return { lock: this.lockFor(name, kind, runtime), request };
  }

  private fullName(name: string): string {
    return fullName(name, this.runtime.defaults);
  }
}
