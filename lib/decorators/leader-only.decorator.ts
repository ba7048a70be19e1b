import { type AnyFunction, assertOneResult, decoratedMethod, replaceMethod } from './decorated-method.js';
import { executorOf } from './instance-wiring.js';
import { recordElection } from './leader-elections.js';
import type { CheckHost, Method } from './locked.types.js';
import type { Refused } from '../validation/refused.js';

const DECORATOR = '@LeaderOnly';

/** Other processes resolve with `undefined`. */
type CheckAbsence<M extends Method> =
  ReturnType<M> extends PromiseLike<infer T>
    ? undefined extends T
      ? unknown
      : [T] extends [void]
        ? unknown
        : Refused<'the method must allow undefined, which it returns where another process leads'>
    : Refused<'the method must return a Promise'>;

/** The decorator made by `LeaderOnly('mailer')`. */
export type ForLeader = <T extends object, M extends Method>(
  target: T & CheckHost<T>,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & CheckAbsence<M>,
) => void;

/**
 * Runs the method only where this process is the leader of an election; in others it resolves with `undefined` at once. The
 * application stands in the election from its start to its end. The method runs as the owner of the leader's lock, so
 * `currentHold()?.signal` aborts when that is lost, and the lock is not released while it runs.
 *
 * @param election The name of the election, which is that of a lock on the default connection.
 * @throws LockNameError when the application starts, if the name is invalid. Calls throw `LockNotWiredError` on an instance
 *   that Nest did not construct.
 *
 * @example
 * @Cron('* * * * *')
 * @LeaderOnly('mailer')
 * async send(): Promise<void> { … }
 */
export const LeaderOnly =
  (election: string): ForLeader =>
  (target: object, name: string | symbol, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method = decoratedMethod(DECORATOR, target, name, descriptor);
    const { original, place } = method;
    assertOneResult(method);
    recordElection(target, name, { election, place: `${DECORATOR} ${place}`, isCalled: false });
    const advised: AnyFunction = function (...args) {
      const { elections } = executorOf(this, method);
      return elections.runAsLeader(election, () => original.apply(this, args));
    };
    return replaceMethod(method, descriptor, advised, { connection: undefined, cancelOnDisconnect: undefined });
  };
