import { Inject } from '@nestjs/common';
import { LockNotWiredError } from '../errors.js';
import { LockedExecutor } from './locked.executor.js';

/** Property that holds the executor of an instance. Nest prints this description if the module is missing. */
const PORT = Symbol('@Locked (import RedisLockModule.forRoot)');

/**
 * Lets Nest inject the executor into every instance of the class: per application, per request, per transient consumer.
 * Needs no list of classes and no global state.
 */
export const wire = (prototype: object): void => {
  if (PORT in prototype) return;
  Object.defineProperty(prototype, PORT, {
    configurable: true,
    // Keeps the property out of JSON, spread, Object.keys and test equality. Writable: Nest 11 may set it twice.
    set(this: object, interceptor: unknown) {
      connect(this, interceptor);
    },
  });
  Inject(LockedExecutor)(prototype, PORT);
};

/** Sets the executor, as Nest does for instances that it constructs. */
const connect = (instance: object, interceptor: unknown): void => {
  Object.defineProperty(instance, PORT, { value: interceptor, configurable: true, writable: true });
};

/** Instances wired by {@link adopt}. They may be wired again: a `useValue` instance can outlive an application. */
const adopted = new WeakSet<object>();

/** Wires an instance that Nest did not construct, if its methods are locked and Nest has not wired it. */
export const adopt = (instance: object, interceptor: LockedExecutor): void => {
  if (!(PORT in instance) || (Object.hasOwn(instance, PORT) && !adopted.has(instance))) return;
  adopted.add(instance);
  connect(instance, interceptor);
};

/** The decorated method, for messages: `@Locked`, class and method. */
interface Method {
  readonly decorator: string;
  readonly place: string;
}

/**
 * Returns the instance's executor. If Nest did not construct the instance, or injected something else (such as an
 * auto-mock, which would skip the method), returns an executor that fails with LockNotWiredError on acquisition. So the
 * method fails in the form in which it would have returned.
 */
export const interceptorOf = (instance: unknown, method: Method): LockedExecutor => {
  const interceptor: unknown =
    typeof instance === 'object' && instance !== null ? Reflect.get(instance, PORT) : undefined;
  return interceptor instanceof LockedExecutor ? interceptor : notWired(method);
};

const notWired = ({ decorator, place }: Method): LockedExecutor => {
  const remedy =
    'let Nest construct the class (list it in providers or controllers) in an application that imports RedisLockModule';
  return new LockedExecutor({
    get: () => {
      throw new LockNotWiredError(
        `${place} is ${decorator}, but its instance was not wired by Nest, so no lock can be taken: ${remedy}. ` +
          'In a unit test use Test.createTestingModule with RedisLockModule.forRoot({ backend: "memory" }). ' +
          'In a constructor it is too early: call the method from onModuleInit',
      );
    },
  });
};
