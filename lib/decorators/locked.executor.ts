import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { catchError, type Observable, throwError } from 'rxjs';
import { LockNameError } from '../errors.js';
import { errorOfWork } from '../holds/loss.js';
import { formatValue } from '../validation/format-value.js';
import { sortedNames } from '../keys/lock-name.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { type CriticalSection, leftInBackground } from '../reentrancy/critical-section.js';
import { fullName } from '../keys/redisson-keys.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { SingleFlight } from '../coordination/single-flight.js';
import { acceptedTerms, type AcquireTerms, type LockRequest } from '../waiting/acquire.options.js';
import { runAndStart, runFor } from '../context/run-in-scope.js';
import { LeaderElections } from './leader-elections.js';
import type { LockedPlan, Permits } from './locked.options.js';
import { type LockAccess, lockedIterable, lockedObservable, lockedOpenResult } from './open-results.js';
import { beneficiaryOf, leaveAfter } from './release-after.js';
import type { SharedPlan } from './single-flight.options.js';
import { responseDone, onClientDisconnect } from './http-response.js';
import { isInBackground, resultOfConflict } from '../locks/options/lock.options.js';
import { MultiLock } from '../locks/multi-lock.js';
import { Semaphore } from '../synchronizers/semaphore.js';
import { chosenKind } from '../locks/lock-kinds.js';
import { acquireAll } from '../locks/acquire-members.js';
import { refusal } from '../waiting/wait-errors.js';
import { ReentrantLock } from '../locks/reentrant-lock.js';

/** Origin of the lock names, for errors, events and logs. */
interface Origin {
  readonly template: string | undefined;
  /** For example `@Locked Orders.pay`. */
  readonly method: string;
}

/**
 * Acquires everything that a call needs, or nothing.
 * @param names Full names, at least one, without duplicates, in the order common to all processes.
 */
const acquireFor = (
  runtime: LockRuntime,
  plan: Pick<LockedPlan, 'need' | 'holdAtLeast' | 'release'>,
  names: readonly string[],
  { template, method }: Origin,
  terms: AcquireTerms,
): Promise<CriticalSection> => {
  const { need } = plan;
  if (typeof need === 'object' && 'permits' in need) {
    const entering = enterSemaphores(runtime, names, template, need, terms);
    return isInBackground(plan.release, runtime.defaults) ? entering.then(leftInBackground) : entering;
  }
  const kind = chosenKind(runtime.kinds, need);
  const locks = names.map((name) => new ReentrantLock(runtime, name, template, kind, method));
  const [only, ...others] = locks;
  const lock = only && others.length === 0 ? only : new MultiLock(runtime, locks);
  return lock.enterFor(terms, plan);
};

const enterSemaphores = async (
  runtime: LockRuntime,
  names: readonly string[],
  template: string | undefined,
  { permits }: Permits,
  { limit }: AcquireTerms,
): Promise<CriticalSection> => {
  const sections = await acquireAll<Semaphore, CriticalSection>(
    {
      members: names.map((name) => new Semaphore(runtime, name, template)),
      inCommonOrder: true,
      acquire: (semaphore, within) => semaphore.enter(permits, within),
      undo: ({ leave }) => leave(),
      aborted: (end) => refusal({ what: 'Semaphore', name: names.join(', '), template, limit }, end, undefined),
    },
    limit,
  );
  return {
    run: (fn) => fn(),
    leave: async (kept) => {
      await Promise.all([...sections.values()].map(({ leave }) => leave(kept)));
    },
  };
};

/** A call that runs under locks. */
export interface LockedCall {
  readonly plan: LockedPlan;
  /** The template that makes the key, if any, for errors. */
  readonly template: string | undefined;
  /** The locked method, for events and logs: `@Locked Orders.pay`. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Absent for a handler. */
  readonly instance?: unknown;
  /** Returns the lock names, at most `maxNames`; may throw. */
  readonly key: (maxNames: number) => string | readonly string[];
  /** Aborts when the caller has disconnected and the result is no longer needed. */
  readonly callerGone: AbortSignal | undefined;
  /** Returns the signal among the arguments that ends the wait; may throw. Absent: the options name none. */
  readonly signal?: (() => AbortSignal | undefined) | undefined;
}

/** A call whose result is shared with concurrent callers. */
export interface SharedCall extends Omit<LockedCall, 'plan' | 'args' | 'instance' | 'method' | 'signal'> {
  readonly plan: SharedPlan;
  /** Decorator, class and method, for messages. */
  readonly place: string;
}

/**
 * Runs every locked method and handler: key → locks → method → release. Returns the method's result or error, even if
 * the lock is lost meanwhile; a method that must stop in that case listens to the hold's signal.
 */
export class LockedExecutor {
  readonly elections: LeaderElections;

  /** Created by `RedisLockModule`. */
  constructor(private readonly connections: Pick<ConnectionRegistry, 'get'>) {
    this.elections = new LeaderElections(connections);
  }

  /** Runs a method that returns a promise, or a value that becomes one. */
  async aroundPromise(call: LockedCall, proceed: () => unknown): Promise<unknown> {
    let section: CriticalSection;
    try {
      section = await this.enter(call);
    } catch (error) {
      return this.onConflict(call, error);
    }
    let isOpen = false;
    try {
      const result = await section.run(() => runAndStart(proceed));
      const open = lockedOpenResult(section, result, (giveUp) => this.onAbandoned(call, giveUp));
      isOpen = open !== undefined;
      return isOpen ? open : result;
    } catch (error) {
      throw errorOfWork(error);
    } finally {
      if (!isOpen) await section.leave();
    }
  }

  /** Wraps a method that returns an Observable: each subscription is a call. */
  aroundObservable(call: LockedCall, proceed: () => Observable<unknown>): Observable<unknown> {
    return lockedObservable({ ...this.access(call), source: proceed });
  }

  /** Wraps a method that returns an async iterable: each iteration is a call. */
  aroundIterable(call: LockedCall, proceed: () => AsyncIterable<unknown>): AsyncIterable<unknown> {
    return lockedIterable({ ...this.access(call), source: proceed });
  }

  /** Wraps everything that Nest does for a request inside this interceptor, until the response is complete. */
  intercept(called: Omit<LockedCall, 'callerGone'>, context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const gone = new AbortController();
    const { cancelOnDisconnect = true } = called.plan;
    const stopListening = cancelOnDisconnect ? onClientDisconnect(context, () => gone.abort()) : () => {};
    const { enter, onConflict } = this.access({ ...called, callerGone: gone.signal });
    return lockedObservable({
      enter: (signal) => enter(signal).finally(stopListening),
      onConflict,
      source: () => next.handle().pipe(catchError((error) => throwError(() => errorOfWork(error)))),
      until: () => responseDone(context),
    });
  }

  /** Runs a method whose result is shared with its concurrent callers. */
  async aroundShared({ plan, template, key, callerGone, place }: SharedCall, proceed: () => unknown): Promise<unknown> {
    const runtime = this.connections.get(plan.connection);
    const keys = key(runtime.defaults.maxNames);
    const [only, ...others] = typeof keys === 'string' ? [keys] : sortedNames(keys);
    if (only === undefined || others.length > 0) {
      throw new LockNameError(`The key of ${place} must be one name, not ${formatValue(keys)}`);
    }
    const flight = new SingleFlight(runtime, only, template, plan.flight);
    return flight.share({ ...plan.request(runtime.defaults.wait), signal: callerGone }, proceed);
  }

  private access(call: LockedCall): LockAccess {
    return { enter: (signal) => this.enter(call, signal), onConflict: (error) => this.onConflict(call, error) };
  }

  private enter(call: LockedCall, signal?: AbortSignal): Promise<CriticalSection> {
    try {
      const { plan, args, key, callerGone } = call;
      const runtime = this.connections.get(plan.connection);
      const { defaults, events } = runtime;
      const keys = key(defaults.maxNames);
      const names =
        typeof keys === 'string'
          ? [fullName(keys, defaults)]
          : sortedNames(keys.map((name) => fullName(name, defaults)));
      const terms = termsFor(runtime, plan.request(defaults.wait, signal), [callerGone, call.signal?.()]);
      const enter = (): Promise<CriticalSection> => acquireFor(runtime, plan, names, call, terms);
      const { releaseAfter } = plan;
      if (!releaseAfter) return enter();
      const keptFor = beneficiaryOf(releaseAfter, args, call.method);
      const entering = keptFor ? runFor(keptFor, enter) : enter();
      return entering.then((section) => leaveAfter(section, () => releaseAfter({ args }), events));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private async onConflict({ plan, args, instance }: LockedCall, error: unknown): Promise<unknown> {
    if (plan.leavesOut?.(error, instance) === true) return undefined;
    return resultOfConflict(plan, error, args);
  }

  /** Runs a task after the watchdog time-out, as for a crashed holder. Returns a function that cancels it. */
  private onAbandoned({ plan }: LockedCall, task: () => void): () => void {
    const { scheduler, watchdog } = this.connections.get(plan.connection);
    const timer = scheduler.schedule(watchdog.timeout, task);
    return () => timer.cancel();
  }
}

/** @param callers Signals of the caller. */
const termsFor = (
  runtime: LockRuntime,
  request: LockRequest,
  callers: readonly (AbortSignal | undefined)[],
): AcquireTerms => {
  const terms = acceptedTerms(request, runtime);
  const limit = callers.reduce((before, signal) => (signal ? before.withSignal(signal) : before), terms.limit);
  return { ...terms, limit };
};
