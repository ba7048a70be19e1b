import { Inject } from '@nestjs/common';
import { LockNotWiredError } from '../errors.js';
import { withCopies } from '../validation/own-place.js';
import { LockedExecutor } from './locked.executor.js';

/** Property that holds the executor of an instance. Nest prints this description if the module is missing. */
const EXECUTOR = Symbol('@Locked (import RedisLockModule.forRoot)');

/**
 * Lets Nest inject the executor into every instance of the class: per application, per request, per transient consumer.
 * Needs no list of classes and no global state.
 */
export const wire = (prototype: object): void => {
  if (EXECUTOR in prototype) return;
  Object.defineProperty(prototype, EXECUTOR, {
    configurable: true,
    // Keeps the property out of JSON, spread, Object.keys and test equality. Writable: Nest 11 may set it twice.
    set(this: object, executor: unknown) {
      connect(this, executor);
    },
  });
  Inject(LockedExecutor)(prototype, EXECUTOR);
};

/** Sets the executor, as Nest does for instances that it constructs. */
const connect = (instance: object, executor: unknown): void => {
  Object.defineProperty(instance, EXECUTOR, { value: executor, configurable: true, writable: true });
};

/** Instances wired by {@link adopt}. They may be wired again: a `useValue` instance can outlive an application. */
const adopted = new WeakSet<object>();

/** Wires an instance that Nest did not construct, if its methods are locked and Nest has not wired it. */
export const adopt = (instance: object, executor: LockedExecutor): void => {
  if (!(EXECUTOR in instance) || (Object.hasOwn(instance, EXECUTOR) && !adopted.has(instance))) return;
  adopted.add(instance);
  connect(instance, executor);
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
export const executorOf = (instance: unknown, method: WiredMethod): LockedExecutor => {
  const executor: unknown =
    typeof instance === 'object' && instance !== null ? Reflect.get(instance, EXECUTOR) : undefined;
  return executor instanceof LockedExecutor ? executor : notWired(method);
};

const notWired = ({ decorator, place }: WiredMethod): LockedExecutor => {
  const remedy =
    'let Nest construct the class (list it in providers or controllers) in an application that imports RedisLockModule';
  return new LockedExecutor({
    get: () => {
      throw new LockNotWiredError(
        withCopies(
          `${place} is ${decorator}, but its instance was not wired by Nest, so no lock can be taken: ${remedy}. ` +
            'In a unit test use Test.createTestingModule with RedisLockModule.forRoot({ backend: "memory" }). ' +
            'In a constructor it is too early: call the method from onModuleInit',
        ),
      );
    },
  });
};
