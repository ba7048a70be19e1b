import type { Hold } from '../holds/hold.js';
import type { CheckHost } from './locked.types.js';
import { decoratedMethod, recordLockedMethod } from './decorated-method.js';
import { wire } from './instance-wiring.js';
import { recordElection } from './leader-elections.js';

const DECORATOR = '@OnElected';

/** The decorator made by `OnElected('mailer')`. */
export type ForElected = <T extends object, M extends (signal: AbortSignal, hold: Hold) => unknown>(
  target: T & CheckHost<T>,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/**
 * Calls the method each time this process becomes the leader of an election, in which the application stands from its start
 * to its end. The method gets the signal that aborts when leadership ends, and the hold. The lock is released when its promise
 * has settled. If it rejects, the leader steps down and stands again after a second. It works on providers and controllers
 * that exist once in the application.
 *
 * @param election The name of the election, which is that of a lock on the default connection.
 * @throws LockNameError, LockOptionsError when the application starts, if the name is invalid, or if another method is for the
 *   leader of the same election.
 *
 * @example
 * @OnElected('mailer')
 * async sendUntil(signal: AbortSignal): Promise<void> { … }
 */
export const OnElected =
  (election: string): ForElected =>
  (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const place = `${DECORATOR} ${decoratedMethod(DECORATOR, target, name, descriptor).place}`;
    wire(target);
    recordLockedMethod(target, name, { place, connection: undefined, usesMasters: false });
    recordElection(target, name, { election, place, isCalled: true });
  };
