import { currentCallerGone } from '../context/owner-context.js';
import { type AnyFunction, assertOneResult, decoratedMethod, replaceMethod } from './decorated-method.js';
import { cancelsOnDisconnect } from './request.interceptor.js';
import { executorOf } from './instance-wiring.js';
import { assertArgumentsExist, methodKey } from './method-key.js';
import type { LockedExecutor, SharedCall } from './locked.executor.js';
import { type SharedPlan, type SingleFlightMethodOptions, sharedPlanFor } from './single-flight.options.js';
import type { AsJson } from '../coordination/flight-result.js';
import type { CheckHost, CheckKey, CheckKeyFunction, IsAny, Method } from './locked.types.js';
import type { Refused } from '../validation/refused.js';
import type { KeyPart } from '../keys/key-encoding.js';

/** The shared, JSON-decoded result must be assignable to the method's return type. */
type CheckResult<M extends Method> =
  IsAny<ReturnType<M>> extends true
    ? unknown
    : ReturnType<M> extends PromiseLike<infer T>
      ? [T, void] extends [void, T]
        ? unknown
        : [T] extends [AsJson<T>]
          ? unknown
          : Refused<'the result is shared as JSON, which cannot say all of it'>
      : Refused<'the method must return a Promise'>;

/** The decorator made by `SingleFlight('report:<0>')`. */
export interface SharedByTemplate<K extends string> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKey<K, M, KeyPart>,
  ): void;
}

/** The decorator made by `SingleFlight((query: Query) => …)`. */
export interface SharedByFunction<A extends readonly unknown[]> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKeyFunction<A, M>,
  ): void;
}

const DECORATOR = '@SingleFlight';

/**
 * Runs a method once for all concurrent callers with the same key, across all processes: the other callers get its
 * result or its error. Every caller, including the one whose call ran, gets the result decoded from JSON.
 *
 * @param key A template such as `'report:<0>'`, or a function of the method's arguments. It names the result: every
 *   input that changes the result must be part of it.
 * @throws LockNameError, LockOptionsError when the decorator is applied, if key or options are invalid.
 *
 * @example
 * @SingleFlight('report:<0>', { ttl: '5s' })
 * async report(month: string): Promise<Report> { … }
 */
export function SingleFlight<const K extends string>(key: K, options?: SingleFlightMethodOptions): SharedByTemplate<K>;
/** Shares one execution of the method, with its result or error, under the name that `key` returns for the arguments. */
export function SingleFlight<A extends readonly unknown[]>(
  key: (...args: A) => string,
  options?: SingleFlightMethodOptions,
): SharedByFunction<A>;
export function SingleFlight(key: unknown, options?: SingleFlightMethodOptions): MethodDecorator {
  return sharedBy(key, {
    decorator: DECORATOR,
    plan: sharedPlanFor(options),
    options: options ?? {},
    share: shareCall,
  });
}

const shareCall: SharedBy['share'] = (executor, call, _args, proceed) => executor.aroundShared(call, proceed);

/** A decorator whose methods run once for several calls. */
export interface SharedBy {
  /** As written in source: `@SingleFlight`. */
  readonly decorator: string;
  readonly plan: SharedPlan;
  /** As given. */
  readonly options: object;
  /** Runs `proceed`, or resolves with what it led to before. */
  readonly share: (
    executor: LockedExecutor,
    call: SharedCall,
    args: readonly unknown[],
    proceed: () => unknown,
  ) => Promise<unknown>;
}

/** @throws LockNameError, LockOptionsError */
export const sharedBy = (key: unknown, { decorator, plan, options, share }: SharedBy): MethodDecorator => {
  const { template, names } = methodKey(key, decorator);

  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method = decoratedMethod(decorator, target, name, descriptor);
    const { original, place } = method;
    assertOneResult(method);
    if (template) assertArgumentsExist(template, method);

    const shared: AnyFunction = function (...args) {
      const callerGone = cancelsOnDisconnect(shared, plan.cancelOnDisconnect) ? currentCallerGone() : undefined;
      const keyOf = (maxNames: number) => names({ instance: this, args, place }, maxNames);
      const call = { plan, template: template?.text, key: keyOf, callerGone, place: `${decorator} ${place}` };
      return share(executorOf(this, method), call, args, () => original.apply(this, args));
    };
    return replaceMethod(method, descriptor, shared, { ...plan, declared: { key, options } });
  };
};
