import { type NameLimits, validateName } from './keys/lock-name.js';
import { chooseLock, chooseLockForWork, ConnectionRegistry, namedLock } from './runtime/connection-registry.js';
import { type EventListener, type LockEventType, parseEventListener } from './events/lock-events.js';
import type { LockNotice } from './events/lock-notices.js';
import { currentHoldOn } from './reentrancy/current-hold.js';
import { parseSingleFlight, type SingleFlightOptions } from './coordination/single-flight.options.js';
import { type DetachOptions, parseDetach } from './holds/detaching/detach.options.js';
import type { Hold } from './holds/hold.js';
import { type HoldToken, parseToken } from './holds/detaching/hold-token.js';
import { attach } from './holds/detaching/attach.js';
import { extendHeld, type OwnedLock, parseHeld, releaseHeld } from './holds/detaching/held-elsewhere.js';
import type { Duration } from './time/duration.js';
import {
  type CheckLockOptions,
  type InsteadOf,
  type LockOptions,
  type ManualLockOptions,
  parseRequest,
  type WithLockOptions,
} from './locks/options/lock.options.js';
import type { LockRuntime } from './runtime/lock-runtime.js';
import type { AsJson } from './coordination/flight-result.js';
import { SingleFlight } from './coordination/single-flight.js';
import { invalidOption, parseWork, type WorkArguments } from './validation/options.js';
import type { EachOf } from './validation/refused.js';
import { runInScope } from './context/run-in-scope.js';
import { CountDownLatch } from './synchronizers/count-down-latch.js';
import { type FencedLock, FencedReentrantLock } from './locks/fenced-lock.js';
import { GroupLock } from './locks/group-lock.js';
import { LeaderElection, type LeaderElectionOptions } from './coordination/leader-election.js';
import type { Lock } from './locks/lock.js';
import { fullName, storedName } from './keys/redisson-keys.js';
import type { MultiHold } from './holds/multi-hold.js';
import { MultiLock } from './locks/multi-lock.js';
import { NonReentrantLock, type NonReentrantLockOptions } from './locks/non-reentrant-lock.js';
import { PermitExpirableSemaphore } from './synchronizers/permit-expirable-semaphore.js';
import { type ReadWriteLock, type ReadWriteLockOptions, ReentrantReadWriteLock } from './locks/read-write-lock.js';
import { MajorityLock } from './locks/majority-lock.js';
import { Semaphore } from './synchronizers/semaphore.js';
import { SpinLock } from './locks/spin-lock.js';
import type { Backoff } from './waiting/backoff.js';
import type { ListedLock } from './inspection/inspected-lock.js';
import { listLocks, type ListOptions, parseList } from './inspection/list-locks.js';
import { releaseHolder } from './inspection/release-holder.js';
import { type LockStats, statsOf } from './runtime/lock-stats.js';

/** Other processes, and Java, may allow more than this one does. */
const GIVEN_BY_OTHERS: NameLimits = { maxBytes: Number.POSITIVE_INFINITY, allowControlCharacters: true };

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
  /** @internal */
  protected readonly runtime: LockRuntime;

  /** Created by `RedisLockModule` and `createLocks()`. */
  constructor(services: never);
  /**
   * @internal
   * @param runtime Services of the default connection, from `RedisLockModule` or `createLocks()`.
   * @param connections The other connections.
   * @param seen The connections that `currentHold()` and `onEvent()` cover.
   */
  constructor(runtime: LockRuntime, connections?: ConnectionRegistry, seen?: readonly LockRuntime[]);
  constructor(
    runtime: LockRuntime,
    private readonly connections = new ConnectionRegistry(runtime),
    private readonly seen: readonly LockRuntime[] = connections.all,
  ) {
    this.runtime = runtime;
  }

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

  /** Runs `fn` under the lock and releases it afterwards. Returns the result of `fn`, or rejects with its error. */
  withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  /** Runs `fn` under the lock, acquired with these options, and releases it afterwards. */
  withLock<T>(
    name: string,
    options: LockOptions & WithLockOptions<'throw'>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T>;
  /**
   * Runs `fn`, or if the lock is not free within `wait`, resolves with the result of `onConflict`: `undefined` for `skip`.
   */
  withLock<T, const O extends EachOf<LockOptions & WithLockOptions>>(
    name: string,
    options: O & CheckLockOptions<O, LockOptions & WithLockOptions>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T | InsteadOf<O>>;
  withLock<T>(name: string, ...given: WorkArguments<LockOptions & WithLockOptions, Work<T>>): Promise<unknown> {
    try {
      const [options, work] = parseWork('withLock', given);
      const { lock, request } = chooseLockForWork(this.runtime, this.connections, name, options);
      return lock.runLocked(request, work);
    } catch (error) {
      return Promise.reject(error);
    }
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
  /** Runs `fn` once for concurrent callers of this result, with these options: how long to wait, what is shared. */
  singleFlight<T>(name: string, options: SingleFlightOptions, fn: (hold: Hold) => T | Promise<T>): Promise<AsJson<T>>;
  async singleFlight<T>(name: string, ...given: WorkArguments<SingleFlightOptions, Work<T>>): Promise<AsJson<T>> {
    const [flightOptions, work] = parseWork('singleFlight', given);
    const { plan, connection, options } = parseSingleFlight(flightOptions);
    const runtime = connection === undefined ? this.runtime : this.connections.named(connection);
    const flight = new SingleFlight(runtime, name, undefined, plan);
    return (await flight.share(parseRequest(options, runtime.defaults.wait), work)) as AsJson<T>;
  }

  /** Acquires the lock, waiting if necessary. Release it with `hold.release()`, or by `await using`. */
  acquire(name: string): Promise<Hold>;
  /** As {@link acquire}, with these options. */
  acquire<const O extends EachOf<ManualLockOptions> | undefined>(
    name: string,
    options: O & CheckLockOptions<O, ManualLockOptions>,
  ): Promise<Hold>;
  acquire(name: string, options?: ManualLockOptions): Promise<Hold> {
    try {
      const { lock, request } = chooseLock(this.runtime, this.connections, name, options);
      // No async wrapper: there may be many waiters, and each would pay for an extra promise.
      return lock.take(lock.accept(request));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Acquires the lock, or resolves with null if another owner holds it. `wait` defaults to 0: exactly one attempt. */
  tryAcquire(name: string): Promise<Hold | null>;
  /** As {@link tryAcquire}, with these options. */
  tryAcquire<const O extends EachOf<ManualLockOptions> | undefined>(
    name: string,
    options: O & CheckLockOptions<O, ManualLockOptions>,
  ): Promise<Hold | null>;
  async tryAcquire(name: string, options?: ManualLockOptions): Promise<Hold | null> {
    const { lock, request } = chooseLock(this.runtime, this.connections, name, options, 0);
    return lock.tryTake(lock.accept(request));
  }

  /**
   * Goes on with a hold that `hold.detach()` ended, in this process or in another: exactly one caller gets it. Release it
   * with `hold.release()`. The watchdog renews it, unless there is a `lease`.
   * @throws LockOptionsError for what is no token, or one of a connection that this service does not have; LockLostError
   *   if it was attached before, was forged, or is too late; LockShutdownError; LockUnavailableError if Redis could not
   *   confirm, or has too few of the wanted `replicas`: the token may be used up, and the lock is released, in the
   *   background if need be; or, with `outcome` `refused`, while `restartGuard` grants no locks: the token is as before.
   */
  async attach(token: HoldToken, options?: DetachOptions): Promise<Hold> {
    const detached = parseToken(token);
    const lease = parseDetach(options, 'attach');
    return attach(this.connectionOf(token, detached.connection), detached, lease);
  }

  /**
   * Lets a lock that no code holds last at least `lease` from now: a detached one by its token, which stays good, or that of
   * an owner, acquired by `acquire(name, { owner, lease })`. For heartbeats: sent twice, it has one effect. Resolves with
   * whether the lock is still held.
   * @throws LockOptionsError, LockNameError; LockUnavailableError if Redis could not confirm: ask again.
   *
   * @example
   * if (!(await locks.extend({ name: 'document:7', owner: 'user:7' }, '2m'))) throw new GoneException();
   */
  async extend(held: HoldToken | OwnedLock, lease: Duration): Promise<boolean> {
    const parsed = parseHeld(held, this.runtime.defaults);
    return extendHeld(this.connectionOf(held, parsed.connection), parsed, lease);
  }

  /**
   * Releases a lock that no code holds: a detached one by its token, or that of an owner, wherever it was acquired. Called
   * again, it does nothing. Resolves with whether the lock was still held.
   * @throws LockOptionsError, LockNameError; LockUnavailableError if Redis could not confirm: it is released in the
   *   background.
   */
  async release(held: HoldToken | OwnedLock): Promise<boolean> {
    const parsed = parseHeld(held, this.runtime.defaults);
    return releaseHeld(this.connectionOf(held, parsed.connection), parsed);
  }

  /** @param given What names the connection, for the message. */
  private connectionOf(given: unknown, name: string | undefined): LockRuntime {
    if (name === undefined) return this.runtime;
    const runtime = this.connections.named(name);
    if (!this.seen.includes(runtime)) throw invalidOption('token', given, 'a token of this connection');
    return runtime;
  }

  /**
   * Runs `fn` as one owner for everything acquired inside, like a thread: its locks can be acquired again, and
   * `lock.release()` finds their holds. Starts as a new owner without holds, even if the caller holds locks.
   */
  runInScope<T>(fn: () => T | Promise<T>): Promise<T> {
    return runInScope(fn);
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
   * The lock of this name on a quorum of the independent servers of the module's `redLock` option. It keeps working
   * while a minority of them is down.
   * @throws LockOptionsError if the module has no such servers.
   */
  getRedLock(name: string): Lock {
    return namedLock(this.runtime, name, 'quorum');
  }

  /**
   * Several locks as one, of which a majority is enough (Redisson: `getRedLock`).
   * @param locks At least three locks of any kind, usually of connections to different servers.
   * @throws LockOptionsError for fewer than three locks, for a duplicate, and for a value that is not a lock;
   *   LockNameError for more locks than `maxNames`.
   */
  getMajorityLock(...locks: readonly Lock[]): Lock<MultiHold> {
    return new MajorityLock(this.runtime, locks);
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

  /**
   * The hold that the running code is under: of the lock `name`, or the innermost one, which may cover several locks.
   * Local, without a round trip. Covers all connections; a service made by {@link forConnection} covers only its own.
   */
  currentHold(name?: string): Hold | undefined {
    if (name !== undefined) validateName(name, this.runtime.defaults.names);
    return currentHoldOn(this.seen, name);
  }

  /**
   * The locks that this process holds and waits for now, by connection, kind and template, and how late its watchdog is. Local,
   * without a round trip: of other processes, `inspect()` knows. Covers all connections; a service made by
   * `forConnection()` covers only its own.
   */
  stats(): LockStats {
    return statsOf(this.seen);
  }

  /**
   * All that is held now on this connection, by whatever process, also of Redisson: locks of every kind, limits and
   * semaphores whose permits have ids. Found by SCAN on every master of a cluster, in small steps, so that no server is
   * blocked; each lock is then read in one step. What is locked or released meanwhile may be listed or not. Not listed:
   * locks of `getRedLock(name)`, which are on other servers, and semaphores and latches, whose data nothing tells from
   * other numbers.
   * @param pattern A glob on the names, as for `getLock()`: `*`, `?`, `[a-z]`, and `\` before a character that is none of
   *   these. Default: `*`.
   * @throws LockOptionsError at once; the iteration: LockUnavailableError, also without the right to `SCAN`, and the
   *   reason of `signal`.
   *
   * @example
   * for await (const { name, holders } of locks.list('order:*')) console.log(name, holders);
   */
  list(pattern = '*', options?: ListOptions): AsyncIterable<ListedLock> {
    const { backend, owners, defaults, permitsOut } = this.runtime;
    const search = parseList(pattern, options, defaults.names);
    return listLocks({ backend, owners, keyPrefix: defaults.keyPrefix, permits: permitsOut }, search);
  }

  /**
   * Ends the hold that exactly this owner has on a lock, limit or semaphore whose permits have ids, and passes it on or
   * wakes the waiters, as its own release does. The server compares the owner, so a lock that another owner has by now
   * stays as it is. The signal of the hold aborts at once, if its code has it for longer than 100 ms, and otherwise at the
   * next renewal; so does a holder in this process. Finds an owner among the first 1000 holders of a name.
   * @param name As of `list()`: also longer than `maxNameBytes`, or with control characters, which others may have used.
   * @param owner As of an inspection: the owner id, or the id of a permit.
   * @returns Whether that owner held it.
   * @throws LockNameError, LockOptionsError, LockUnavailableError
   */
  async releaseHolder(name: string, owner: string): Promise<boolean> {
    const { backend, connection, defaults, endsByOthers, events, grants, watchdog } = this.runtime;
    const lockName = storedName(name, { ...defaults, names: GIVEN_BY_OTHERS });
    if (typeof owner !== 'string' || owner === '') throw invalidOption('owner', owner, 'an owner id of an inspection');
    const kind = await releaseHolder(backend, { name: lockName, owner, lease: watchdog.timeout });
    const type = 'force-released';
    if (kind !== undefined && events.hears(type)) {
      events.emit({ type, connection, kind, lockName, template: undefined, method: undefined });
    }
    const own = [...grants].filter((grant) => grant.owner === owner).map((grant) => grant.verifyAfterCommands());
    if (kind !== undefined) own.push(endsByOthers.tell({ name: lockName }));
    await Promise.all(own);
    return kind !== undefined;
  }

  /**
   * Calls `listener` for events that no caller's promise reports: a lost hold, a failed renewal, a hold kept for too
   * long, a change of a server's clock ({@link LockNotice}). Covers all connections; a service made by
   * {@link forConnection} covers only its own. Errors thrown by a listener, or rejections of an async one, have no effect
   * on locks or on other listeners; each is an event `unexpected`. Listeners run outside all locks, scopes and requests: a
   * lock that a listener acquires is never a re-entry, and an `AsyncLocalStorage` of the application has no store there.
   * @returns A function that removes the listener.
   */
  onEvent(listener: EventListener<LockNotice['type']>): () => void;
  /**
   * Calls `listener` for events of these types, also those of every acquisition and release (`LifeCycleEvent`),
   * which cost nothing unless they are listened to. All events are published on channels of `node:diagnostics_channel`
   * as well: `nest-redis-lock:<type>`.
   * @param types One type, several, or `'all'`.
   * @throws LockOptionsError for a type that does not exist.
   */
  onEvent<T extends LockEventType>(types: T | readonly T[] | 'all', listener: EventListener<T>): () => void;
  onEvent(...given: readonly unknown[]): () => void {
    const { listener, types } = parseEventListener(given);
    const stops = this.seen.map(({ events }) => events.on(listener, types));
    return () => stops.forEach((stop) => stop());
  }

  private fullName(name: string): string {
    return fullName(name, this.runtime.defaults);
  }
}
