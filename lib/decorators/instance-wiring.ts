import 'reflect-metadata';
import { Inject, type InjectionToken } from '@nestjs/common';
import { LockNotWiredError } from '../errors.js';
import { withCopies } from '../validation/own-place.js';
import { LockedExecutor } from './locked.executor.js';

/** Property that holds the executor of an instance. Nest prints this description if the module is missing. */
const EXECUTOR = Symbol('@Locked (import RedisLockModule.forRoot)');

const INJECTED = Symbol('injections');

/** A property that a decorator lets Nest inject. */
interface Injection {
  readonly token: InjectionToken;
  readonly give: (instance: object, value: unknown) => void;
}

const injectionsOf = (prototype: object): ReadonlyMap<symbol, Injection> => {
  const recorded: ReadonlyMap<symbol, Injection> | undefined = Reflect.getMetadata(INJECTED, prototype);
  return recorded ?? new Map();
};

/** Values for instances that can have no further properties. */
const frozen = new WeakMap<object, Map<symbol, unknown>>();

const set = (instance: object, property: symbol, value: unknown): void => {
  if (Object.isExtensible(instance)) {
    // Keeps the property out of JSON, spread, Object.keys and test equality. Writable: Nest 11 may set it twice.
    Object.defineProperty(instance, property, { value, configurable: true, writable: true });
  } else {
    frozen.set(instance, (frozen.get(instance) ?? new Map<symbol, unknown>()).set(property, value));
  }
};

/**
 * Lets Nest inject a value into every instance of the class: per application, per request, per transient consumer.
 * Needs no list of classes and no global state.
 * @param property A symbol that describes what is to be imported if there is no such value.
 * @param check Called before an instance gets the value; it may throw.
 */
export const inject = (
  prototype: object,
  property: symbol,
  token: InjectionToken,
  check: (instance: object, value: unknown) => void = () => {},
): void => {
  if (property in prototype) return;
  const give = (instance: object, value: unknown): void => {
    check(instance, value);
    set(instance, property, value);
  };
  Object.defineProperty(prototype, property, {
    configurable: true,
    set(this: object, value: unknown) {
      give(this, value);
    },
  });
  Reflect.defineMetadata(INJECTED, new Map([...injectionsOf(prototype), [property, { token, give }]]), prototype);
  Inject(token)(prototype, property);
};

/** The value that {@link inject} has given the instance. */
export const injected = (instance: unknown, property: symbol): unknown =>
  typeof instance === 'object' && instance !== null
    ? (Reflect.get(instance, property) ?? frozen.get(instance)?.get(property))
    : undefined;

/** Lets Nest inject the executor into every instance of the class. */
export const wire = (prototype: object): void => inject(prototype, EXECUTOR, LockedExecutor);

/** Instances wired by {@link adopt}. They may be wired again: a `useValue` instance can outlive an application. */
const adopted = new WeakSet<object>();

/**
 * Wires an instance that Nest did not construct, if its methods are locked and Nest has not wired it.
 * @param valueOf The value of a token, for the property of this description; `undefined`: the property stays as it is.
 */
export const adopt = (instance: object, valueOf: (token: InjectionToken, description: string) => unknown): void => {
  const injections = injectionsOf(instance);
  for (const [property, { token, give }] of injections) {
    if (injected(instance, property) !== undefined && !adopted.has(instance)) continue;
    const value = valueOf(token, property.description ?? '');
    if (value !== undefined) give(instance, value);
  }
  if (injections.size > 0) adopted.add(instance);
};

/** The decorated method, for messages: `@Locked`, class and method. */
interface WiredMethod {
  readonly decorator: string;
  readonly place: string;
}

/**
 * Returns the instance's executor. If Nest did not construct the instance, or injected something else (such as an
 * auto-mock, which would skip the method), returns an executor that fails with LockNotWiredError on acquisition. So the
 * method fails in the form in which it would have returned.
 */
export const executorOf = (instance: unknown, method: WiredMethod): LockedExecutor =>
  executorIn(instance) ?? notWired(method);

/** The executor that Nest injected into the instance. */
export const executorIn = (instance: unknown): LockedExecutor | undefined => {
  const executor = injected(instance, EXECUTOR);
  return executor instanceof LockedExecutor ? executor : undefined;
};

const notWired = ({ decorator, place }: WiredMethod): LockedExecutor => {
  const remedy =
    'let Nest construct the class (list it in providers or controllers; in a module that is loaded lazily, not by useFactory) ' +
    'in an application that imports RedisLockModule';
  return new LockedExecutor({
    get: () => {
      throw new LockNotWiredError(
        withCopies(
          `${place} is ${decorator}, but its instance was not wired by Nest, so no lock can be taken: ${remedy}. ` +
            'In a unit test use Test.createTestingModule with RedisLockModule.forRoot({ connection: "memory" }). ' +
            'In a constructor it is too early: call the method from onModuleInit',
        ),
      );
    },
  });
};
