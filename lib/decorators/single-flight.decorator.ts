import { Observable } from 'rxjs';
import { currentCallerGone } from '../context/owner-context.js';
import {
  type AnyFunction,
  declaredType,
  decoratedMethod,
  type DecoratedMethod,
  isAsyncGenerator,
  replaceMethod,
} from './decorated-method.js';
import { endsWithRequest } from './request.interceptor.js';
import { interceptorOf } from './instance-wiring.js';
import { assertArgumentsExist, methodKey } from './method-key.js';
import { type SharedMethodOptions, sharedPlanFor } from './single-flight.options.js';
import type { AsJson } from '../coordination/result-codec.js';
import type { CheckHost, CheckKey, CheckKeyFunction, IsAny, KeyPart, Method, Refused } from './locked.types.js';

/** What everybody is given has to be what the method promises. */
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

/** The decorator that `SingleFlight('report:<0>')` gives. */
export interface SharedByTemplate<K extends string> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKey<K, M, KeyPart>,
  ): void;
}

/** The decorator that `SingleFlight((query: Query) => …)` gives. */
export interface SharedByFunction<A extends readonly unknown[]> {
  <T extends object, M extends Method>(
    target: T & CheckHost<T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & CheckResult<M> & CheckKeyFunction<A, M>,
  ): void;
}

const DECORATOR = '@SingleFlight';

/**
 * Runs a method once for all who call it with the same key while it runs, in all processes: the others get its result, or
 * its error. Everybody, also the one whose call ran, gets the result as JSON gives it back.
 *
 * @param key A template such as `'report:<0>'`, or a function of the method's arguments. It names the result: whatever
 *   changes the result has to be part of it.
 * @throws LockNameError, LockOptionsError where the decorator stands, when key or options make no sense.
 *
 * @example
 * @SingleFlight('report:<0>', { ttl: '5s' })
 * async report(month: string): Promise<Report> { … }
 */
export function SingleFlight<const K extends string>(key: K, options?: SharedMethodOptions): SharedByTemplate<K>;
export function SingleFlight<A extends readonly unknown[]>(
  key: (...args: A) => string,
  options?: SharedMethodOptions,
): SharedByFunction<A>;
export function SingleFlight(key: unknown, options?: SharedMethodOptions) {
  const plan = sharedPlanFor(options);
  const { template, names } = methodKey(key, DECORATOR);

  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method = decoratedMethod(DECORATOR, target, name, descriptor);
    const { original, place } = method;
    assertPromises(method);
    if (template) assertArgumentsExist(template, method);

    const shared: AnyFunction = function (...args) {
      const callerGone = endsWithRequest(shared, plan.cancelOnDisconnect) ? currentCallerGone() : undefined;
      const keyOf = (maxNames: number) => names({ instance: this, args, place }, maxNames);
      const call = { plan, template: template?.text, key: keyOf, callerGone, place };
      return interceptorOf(this, method).aroundShared(call, () => original.apply(this, args));
    };
    return replaceMethod(method, descriptor, shared, plan);
  };
}

const assertPromises = (method: DecoratedMethod): void => {
  if (!isAsyncGenerator(method.original) && declaredType(method) !== Observable) return;
  throw new TypeError(`${DECORATOR} shares one result, and ${method.place} gives several; return a promise`);
};
