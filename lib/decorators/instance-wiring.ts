import { Inject } from '@nestjs/common';
import { LockNotWiredError } from '../errors.js';
import { LockedExecutor } from './locked.executor.js';

/** Where an instance keeps the interceptor. Nest prints the text when the module is missing. */
const PORT = Symbol('@Locked (import RedisLockModule.forRoot)');

/**
 * Lets Nest hand the interceptor to every instance of the class: per application, per request, per transient consumer.
 * Needs no list of classes and no global.
 */
export const wire = (prototype: object): void => {
  if (PORT in prototype) return;
  Object.defineProperty(prototype, PORT, {
    configurable: true,
    // Keeps the port out of JSON, spread, Object.keys and test equality. Writable, because Nest 11 may set it twice.
    set(this: object, interceptor: unknown) {
      connect(this, interceptor);
    },
  });
  Inject(LockedExecutor)(prototype, PORT);
};

/** What Nest does for the instances that it constructs. */
const connect = (instance: object, interceptor: unknown): void => {
  Object.defineProperty(instance, PORT, { value: interceptor, configurable: true, writable: true });
};

/** Instances that {@link adopt} has wired, and may wire again: what `useValue` gives can outlive an application. */
const adopted = new WeakSet<object>();

/** Wires an instance that somebody else constructed, where its methods are locked and Nest has not wired it. */
export const adopt = (instance: object, interceptor: LockedExecutor): void => {
  if (!(PORT in instance) || (Object.hasOwn(instance, PORT) && !adopted.has(instance))) return;
  adopted.add(instance);
  connect(instance, interceptor);
};

/** For messages: `@Locked`, class and method. */
interface Method {
  readonly decorator: string;
  readonly place: string;
}

/**
 * What takes the locks for an instance. Where Nest did not construct it, or gave it something else, such as an auto-mock
 * that would swallow the method, it refuses with a LockNotWiredError when they are to be taken: the method fails in the way
 * in which it would have returned.
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
