import 'reflect-metadata';
import { isObservable, Observable } from 'rxjs';
import { LockNameError } from '../errors.js';
import { describe } from '../input/describe.js';
import { compileTemplate, type KeyTemplate } from '../keys/template.js';
import { currentCallerGone } from '../scope/current-region.js';
import { namesFrom } from './key-function.js';
import { noteConnection } from './locked.connections.js';
import type { LockedCall } from './locked.interceptor.js';
import { isAsyncIterable } from './locked.iterables.js';
import { type LockedOptions, type LockedPlan, planFor } from './locked.options.js';
import type { LockedByFunction, LockedByTemplate } from './locked.types.js';
import { endsWithRequest, noteRequest } from './locked.request.js';
import { interceptorOf, wire } from './locked.wiring.js';

// The compiler has checked key function and method against each other; from here on they are functions of anything.
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Locks a method of anything Nest manages: providers of every scope, controllers. The lock is taken before the method
 * runs and released when its promise settles or its Observable ends.
 *
 * @param key A template such as `'order:<0>'` or `'stock:<0.lines.sku>'`: `<0>` is the first argument, a path leads into
 *   it, a list on the way locks one name for each element. Or a function of the method's arguments.
 * @throws LockNameError, LockOptionsError where the decorator stands, when template or options make no sense.
 *
 * @example
 * @Locked('order:<0>', { wait: '3s' })
 * async pay(orderId: string) { … }
 */
export function Locked<const K extends string, const O extends LockedOptions = LockedOptions>(
  key: K,
  options?: O,
): LockedByTemplate<K, O>;
/**
 * Locks a method by the key, or the keys, that a function makes of its arguments.
 *
 * @example
 * @Locked((order: Order) => `order:${order.id}`)
 * async ship(order: Order) { … }
 */
export function Locked<A extends readonly unknown[], const O extends LockedOptions = LockedOptions>(
  key: (...args: A) => string | readonly string[],
  options?: O,
): LockedByFunction<A, O>;
export function Locked(key: unknown, options?: LockedOptions) {
  const plan = planFor(options);
  const { template, names } = keyMaker(key);

  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const original = methodOf(target, name, descriptor);
    const place = `${target.constructor.name}.${String(name)}`;
    if (template) assertArgumentsExist(template, original, target, name);
    const returns = plan.returns ?? seenToReturn(original, target, name);

    const locked: AnyFunction = function (...args) {
      const interceptor = interceptorOf(this, place);
      const call: LockedCall = {
        plan,
        template: template?.text,
        args,
        key: () => names(this, args, place),
        callerGone: endsWithRequest(locked, plan.cancelOnDisconnect) ? currentCallerGone() : undefined,
      };
      const proceed = (): unknown => original.apply(this, args);
      if (returns === 'observable') return interceptor.aroundObservable(call, () => observableFrom(proceed(), place));
      if (returns === 'iterable') return interceptor.aroundIterable(call, () => iterableFrom(proceed(), place));
      return interceptor.aroundPromise(call, proceed);
    };
    // What decorators below put on the method is inherited, never copied: they may add to it later.
    Object.setPrototypeOf(locked, original);
    for (const property of ['name', 'length'] as const) {
      Object.defineProperty(locked, property, { value: original[property], configurable: true });
    }
    noteRequest(locked, plan.cancelOnDisconnect);
    wire(target);
    noteConnection(target, name, { place: `@Locked ${place}`, connection: plan.connection });
    return { ...descriptor, value: locked };
  };
}

interface KeyMaker {
  readonly template: KeyTemplate | undefined;
  readonly names: (instance: unknown, args: readonly unknown[], place: string) => string | readonly string[];
}

const keyMaker = (key: unknown): KeyMaker => {
  if (isFunction(key)) {
    return { template: undefined, names: (instance, args, place) => namesFrom(key.apply(instance, [...args]), place) };
  }
  if (typeof key !== 'string')
    throw new LockNameError(`@Locked takes a key template or a key function, not ${describe(key)}`);
  const template = compileTemplate(key);
  return { template, names: (_, args) => template.render(args) };
};

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

const observableFrom = (result: unknown, place: string): Observable<unknown> => {
  if (isObservable(result)) return result;
  throw new TypeError(`${place} is @Locked with returns: "observable", but it returned ${describe(result)}`);
};

const iterableFrom = (result: unknown, place: string): AsyncIterable<unknown> => {
  if (isAsyncIterable(result)) return result;
  throw new TypeError(`${place} is @Locked with returns: "iterable", but it returned ${describe(result)}`);
};

const tagOf = (method: AnyFunction): string => Object.prototype.toString.call(method);

const seenToReturn = (method: AnyFunction, target: object, name: string | symbol): LockedPlan['returns'] => {
  if (tagOf(method) === '[object AsyncGeneratorFunction]') return 'iterable';
  return declaredType(target, name) === Observable ? 'observable' : 'promise';
};

const declaredType = (target: object, name: string | symbol): unknown =>
  Reflect.getMetadata('design:returntype', target, name);

const methodOf = (target: object, name: string | symbol, descriptor: PropertyDescriptor | undefined): AnyFunction => {
  if (typeof name === 'object') {
    throw new TypeError('@Locked needs "experimentalDecorators" in tsconfig.json, as all of Nest does');
  }
  if (isFunction(target))
    throw new TypeError(`@Locked cannot stand on the static method ${target.name}.${String(name)}`);
  const method: unknown = descriptor?.value;
  const place = `${target.constructor.name}.${String(name)}`;
  if (!isFunction(method)) throw new TypeError(`@Locked can only stand on a method, and ${place} is none`);
  if (tagOf(method) === '[object GeneratorFunction]') {
    throw new TypeError(`@Locked cannot wait for a lock in the generator ${place}; make it an async one`);
  }
  return method;
};

/** Where a parameter has a default or is a rest parameter, `length` says nothing, and the compiler's check has to do. */
const assertArgumentsExist = (
  template: KeyTemplate,
  method: AnyFunction,
  target: object,
  name: string | symbol,
): void => {
  const declared: unknown = Reflect.getMetadata('design:paramtypes', target, name);
  if (!Array.isArray(declared) || declared.length !== method.length || template.highestIndex < declared.length) return;
  const place = `${target.constructor.name}.${String(name)}`;
  throw new LockNameError(
    `Key template "${template.text}" names argument <${template.highestIndex}>, but ${place} has ${declared.length}; the first is <0>`,
    { template: template.text },
  );
};
