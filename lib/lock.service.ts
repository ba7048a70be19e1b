import { validateName } from './keys/lock-name.js';
import { ConnectionRegistry } from './runtime/connection-registry.js';
import { type EventListener, type LockEventType } from './events/lock-events.js';
import { parseEventListener } from './events/event-listener.js';
import type { LockNotice } from './events/lock-notices.js';
import { currentHoldOn } from './reentrancy/current-hold.js';
import { parseSingleFlight, type SingleFlightOptions } from './coordination/single-flight.options.js';
import { type DetachOptions, parseDetach } from './holds/detaching/detach.options.js';
import type { Hold } from './holds/hold.js';
import { type HoldToken, parseToken } from './holds/detaching/hold-token.js';
import { attach } from './holds/detaching/attach.js';
import { type LimitOptions, type LockOptions, parseRequest } from './locks/options/lock.options.js';
import type { LockRuntime } from './runtime/lock-runtime.js';
import { chooseLimit, chooseLock, chooseLockForWork } from './runtime/chosen-lock.js';
import type { ConflictHandler, WithLockOptions } from './locks/options/with-lock.options.js';
import type { AsJson } from './coordination/flight-result.js';
import { SingleFlight } from './coordination/single-flight.js';
import { invalidOption } from './validation/options.js';
import { parseWork, type WorkArguments } from './validation/work-arguments.js';
import { runInScope } from './context/run-in-scope.js';
import { LockObservation } from './runtime/lock-observation.js';

type Work<T> = (hold: Hold) => T | Promise<T>;

/**
 * Entry point to all locks; inject it.
 *
 * @example
 * await this.locks.withLock(`order:${id}`, { wait: '3s' }, async (hold) => {
 *   await pay(id, hold.signal);
 * });
 */
export class LockService extends LockObservation {
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
    seen: readonly LockRuntime[] = connections.all,
  ) {
    super(runtime, seen);
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
  /** Runs `fn`, or with `onConflict: 'skip'` resolves with `undefined` if the lock is not free within `wait`. */
  withLock<T>(
    name: string,
    options: LockOptions & WithLockOptions<'throw' | 'skip'>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** Runs `fn`, or resolves with the result of `onConflict` if the lock is not free within `wait`. */
  withLock<T, R>(
    name: string,
    options: LockOptions & WithLockOptions<ConflictHandler<R>>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T | R>;
  /** Runs `fn`, with an `onConflict` that is known only at run time. */
  withLock(name: string, options: LockOptions & WithLockOptions, fn: (hold: Hold) => unknown): Promise<unknown>;
  async withLock<T>(name: string, ...given: WorkArguments<LockOptions & WithLockOptions, Work<T>>): Promise<unknown> {
    const [options, work] = parseWork('withLock', given);
    const { lock, request } = chooseLockForWork(this.runtime, this.connections, name, options);
    return lock.runLocked(request, work);
  }

  /**
   * Runs `fn` while at most `limit` callers of this name run theirs, in all processes, and returns its result. Each caller
   * has a permit of its own, with a lease that the watchdog renews: that of a process that dies is free again within the
   * lease. A call inside `fn` with the same name uses the permit of the outer one. Waiters have an order over all processes
   * only with `fair: true`.
   *
   * The limit is that of each call. With different limits for one name, a call waits until fewer permits than its own
   * limit are in use, and there is an event (`limits-differ`). Independent of a lock or semaphore of the same name.
   * @param limit A whole number from 1 to 2^31 − 1.
   * @throws LockOptionsError before anything is sent; all errors of acquiring a lock.
   *
   * @example
   * await locks.withLimit(`tenant:${id}`, 3, { wait: '30s' }, () => exportOrders(id));
   */
  withLimit<T>(name: string, limit: number, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  /** Runs `fn` with a permit of a limit, acquired with these options, and releases it afterwards. */
  withLimit<T>(
    name: string,
    limit: number,
    options: LimitOptions & WithLockOptions<'throw'>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T>;
  /** Runs `fn`, or with `onConflict: 'skip'` resolves with `undefined` if no permit is free within `wait`. */
  withLimit<T>(
    name: string,
    limit: number,
    options: LimitOptions & WithLockOptions<'throw' | 'skip'>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** Runs `fn`, or resolves with the result of `onConflict` if no permit is free within `wait`. */
  withLimit<T, R>(
    name: string,
    limit: number,
    options: LimitOptions & WithLockOptions<ConflictHandler<R>>,
    fn: (hold: Hold) => T | Promise<T>,
  ): Promise<T | R>;
  /** Runs `fn`, with an `onConflict` that is known only at run time. */
  withLimit(
    name: string,
    limit: number,
    options: LimitOptions & WithLockOptions,
    fn: (hold: Hold) => unknown,
  ): Promise<unknown>;
  async withLimit<T>(
    name: string,
    limit: number,
    ...given: WorkArguments<LimitOptions & WithLockOptions, Work<T>>
  ): Promise<unknown> {
    const [options, work] = parseWork('withLimit', given);
    const { lock, request } = chooseLimit(this.runtime, this.connections, name, limit, options);
    return lock.runLocked(request, work);
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
    const runtime = this.connections.named(detached.connection);
    if (!this.seen.includes(runtime)) throw invalidOption('token', token, 'a token of this connection');
    return attach(runtime, detached, lease);
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
    return currentHoldOn(this.seen, name);
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
}
