import { isObservable, Observable } from 'rxjs';
import { formatValue } from '../validation/format-value.js';
import { holdParametersOf, withCurrentHold } from './current-hold.decorator.js';
import { signalOfCall } from './caller-signal.js';
import { currentCallerGone } from '../context/owner-context.js';
import type { LockedCall } from './locked.executor.js';
import { isAsyncIterable } from './open-results.js';
import {
  type AnyFunction,
  declaredType,
  decoratedMethod,
  type DecoratedMethod,
  isAsyncGenerator,
  replaceMethod,
} from './decorated-method.js';
import { type LockedOptions, type LockedPlan, planFor } from './locked.options.js';
import { cancelsOnDisconnect } from './request.interceptor.js';
import type { LockedByFunction, LockedByTemplate } from './locked.types.js';
import type { EachOf } from '../validation/refused.js';
import { executorOf } from './instance-wiring.js';
import { assertArgumentsExist, methodKey } from './method-key.js';

const DECORATOR = '@Locked';

// Templates come last: of overloads that do not fit, the compiler shows the error of the last.

/**
 * Locks a method by the key, or the keys, that a function makes from its arguments.
 *
 * @example
 * @Locked((order: Order) => `order:${order.id}`)
 * async ship(order: Order) { … }
 */
export function Locked<A extends readonly unknown[], const O extends EachOf<LockedOptions> = LockedOptions>(
  key: (...args: A) => string | readonly string[],
  options?: O,
): LockedByFunction<A, O>;
/**
 * Locks a method of any class that Nest manages: providers of every scope, controllers. The lock is acquired before the
 * method runs and released when its promise settles or its Observable ends.
 *
 * @param key A template such as `'order:<0>'` or `'stock:<0.lines.sku>'`: `<0>` is the first argument, a path leads
 *   into it, and a list on the path locks one name per element. Or a function of the method's arguments.
 * @throws LockNameError, LockOptionsError when the decorator is applied, if template or options are invalid.
 *
 * @example
 * @Locked('order:<0>', { wait: '3s' })
 * async pay(orderId: string) { … }
 */
export function Locked<const K extends string, const O extends EachOf<LockedOptions> = LockedOptions>(
  key: K,
  options?: O,
): LockedByTemplate<K, O>;
export function Locked(key: unknown, options?: LockedOptions) {
  return lockedBy(key, planFor(options), options);
}

/**
 * As {@link Locked}, for decorators whose plan has settings that are not public options.
 * @param options As given, for tests that ask for them.
 * @param decorator The decorator as written in source.
 */
export const lockedBy = (key: unknown, plan: LockedPlan, options: LockedOptions = {}, decorator = DECORATOR) => {
  const { template, names } = methodKey(key, decorator);

  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method = decoratedMethod(decorator, target, name, descriptor);
    const { original, place } = method;
    if (template) assertArgumentsExist(template, method);
    const holdParameters = holdParametersOf(target, name);
    const returns = plan.returns ?? detectReturnKind(method);

    const { signal } = plan;
    const calledMethod = `${decorator} ${place}`;

    const locked: AnyFunction = function (...args) {
      const executor = executorOf(this, method);
      const call: LockedCall = {
        plan,
        template: template?.text,
        method: calledMethod,
        args,
        instance: this,
        key: (maxNames) => names({ instance: this, args, place }, maxNames),
        signal: signal && (() => signalOfCall(signal, { instance: this, args, method: calledMethod })),
        callerGone: cancelsOnDisconnect(locked, plan.cancelOnDisconnect) ? currentCallerGone() : undefined,
      };
      const proceed = (): unknown =>
        original.apply(this, holdParameters ? withCurrentHold(args, holdParameters) : args);
      if (returns === 'observable') return executor.aroundObservable(call, () => observableFrom(proceed(), place));
      if (returns === 'iterable') return executor.aroundIterable(call, () => iterableFrom(proceed(), place));
      return executor.aroundPromise(call, proceed);
    };
    return replaceMethod(method, descriptor, locked, { ...plan, declared: { key, options } });
  };
};

const observableFrom = (result: unknown, place: string): Observable<unknown> => {
  if (isObservable(result)) return result;
  throw new TypeError(`${place} is @Locked with returns: "observable", but it returned ${formatValue(result)}`);
};

const iterableFrom = (result: unknown, place: string): AsyncIterable<unknown> => {
  if (isAsyncIterable(result)) return result;
  throw new TypeError(`${place} is @Locked with returns: "iterable", but it returned ${formatValue(result)}`);
};

const detectReturnKind = (method: DecoratedMethod): LockedPlan['returns'] => {
  if (isAsyncGenerator(method.original)) return 'iterable';
  return declaredType(method) === Observable ? 'observable' : 'promise';
};
