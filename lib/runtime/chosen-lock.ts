import { chosenKind } from '../locks/lock-kinds.js';
import { fullName } from '../locks/full-name.js';
import type { ChosenKind } from '../locks/options/kind.options.js';
import {
  type LimitOptions,
  type LockOptions,
  parseChoice,
  parseLimited,
  parseRequest,
  parseWithLockChoice,
  parseWithLockRequest,
  type WithLockRequest,
} from '../locks/options/lock.options.js';
import type { WithLockOptions } from '../locks/options/with-lock.options.js';
import { LIMIT, parseCount } from '../synchronizers/permit.options.js';
import { ReentrantLock } from '../locks/reentrant-lock.js';
import type { LockRequest } from '../waiting/acquire.options.js';
import type { ConnectionRegistry } from './connection-registry.js';
import type { LockRuntime } from './lock-runtime.js';

/**
 * The lock of this name and kind on one connection.
 * @throws LockNameError, LockOptionsError
 */
export const namedLock = (runtime: LockRuntime, name: string, kind: ChosenKind): ReentrantLock =>
  new ReentrantLock(runtime, fullName(name, runtime.defaults), undefined, chosenKind(runtime.kinds, kind));

/** A lock that options have chosen, and the request made of the other options. */
interface ChosenLock<R extends LockRequest = LockRequest> {
  readonly lock: ReentrantLock;
  readonly request: R;
}

const connectionOf = (runtime: LockRuntime, connections: ConnectionRegistry, name: string | undefined): LockRuntime =>
  name === undefined ? runtime : connections.named(name);

/**
 * Chooses kind and connection of a lock by its options, for a hold that the caller releases.
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
  const choice = parseChoice(given);
  const chosen = connectionOf(runtime, connections, choice.connection);
  const request = parseRequest(choice.options, defaultWait ?? chosen.defaults.wait);
  return { lock: namedLock(chosen, name, choice.kind), request };
};

/** As {@link chooseLock}, for work that runs under the lock. */
export const chooseLockForWork = (
  runtime: LockRuntime,
  connections: ConnectionRegistry,
  name: string,
  given: (LockOptions & WithLockOptions) | undefined,
): ChosenLock<WithLockRequest> => {
  const choice = parseWithLockChoice(given);
  const chosen = connectionOf(runtime, connections, choice.connection);
  const request = parseWithLockRequest(choice.options, chosen.defaults.wait);
  return { lock: namedLock(chosen, name, choice.kind), request };
};

/**
 * Chooses the limit of this name, of which up to `limit` owners hold a permit at once, and the request for one.
 * @param runtime The connection, if the options name none.
 * @throws LockNameError, LockOptionsError
 */
export const chooseLimit = (
  runtime: LockRuntime,
  connections: ConnectionRegistry,
  name: string,
  limit: unknown,
  given: (LimitOptions & WithLockOptions) | undefined,
): ChosenLock<WithLockRequest> => {
  const choice = parseLimited(given);
  const chosen = connectionOf(runtime, connections, choice.connection);
  const kind = chosen.kinds.limit.of(parseCount(limit, 'limit', LIMIT), choice.isFair);
  const request = parseWithLockRequest(choice.options, chosen.defaults.wait);
  return { lock: new ReentrantLock(chosen, fullName(name, chosen.defaults), undefined, kind), request };
};
