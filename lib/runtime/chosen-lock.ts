import { fullName } from '../locks/full-name.js';
import { type ChosenKind, type LockOptions, parseChoice, parseRequest } from '../locks/lock.options.js';
import { ReentrantLock } from '../locks/reentrant-lock.js';
import type { LockRequest } from '../waiting/acquire.options.js';
import type { ConnectionRegistry } from './connection-registry.js';
import type { LockRuntime } from './lock-runtime.js';

/**
 * The lock of this name and kind on one connection.
 * @throws LockNameError
 */
export const namedLock = (runtime: LockRuntime, name: string, kind: ChosenKind): ReentrantLock =>
  new ReentrantLock(runtime, fullName(name, runtime.defaults), undefined, runtime.kinds[kind]);

/** A lock that options have chosen, and the request made of the other options. */
export interface ChosenLock {
  readonly lock: ReentrantLock;
  readonly request: LockRequest;
}

/**
 * Chooses kind and connection of a lock by its options.
 * @param runtime The connection, if the options name none.
 * @param defaultWait Milliseconds; by default those of the connection.
 * @throws LockNameError, LockOptionsError
 */
export const chooseLock = (
  runtime: LockRuntime,
  connections: ConnectionRegistry,
  name: string,
  given: LockOptions | undefined,
  defaultWait?: number,
): ChosenLock => {
  const { kind, connection, options } = parseChoice(given);
  const chosen = connection === undefined ? runtime : connections.named(connection);
  const request = parseRequest(options, defaultWait ?? chosen.defaults.wait);
  return { lock: namedLock(chosen, name, kind), request };
};
