import { formatValue } from '../validation/format-value.js';
import type { LockRuntime } from './lock-runtime.js';
import { DEFAULT_CONNECTION_NAME, refused } from '../locks/options/connection-choice.js';
import { chosenKind } from '../locks/lock-kinds.js';
import { fullName } from '../keys/redisson-keys.js';
import type { ChosenKind } from '../locks/options/kind.options.js';
import {
  type LockOptions,
  type ManualLockOptions,
  parseChoice,
  parseRequest,
  parseWithLockChoice,
  parseWithLockRequest,
  type WithLockOptions,
  type WithLockRequest,
} from '../locks/options/lock.options.js';
import { ReentrantLock } from '../locks/reentrant-lock.js';
import type { LockRequest } from '../waiting/acquire.options.js';

/** The connections of one module, by name. Each has its own owners, watchdog and events. */
export class ConnectionRegistry<R extends LockRuntime = LockRuntime> {
  /** Every connection once. */
  readonly all: readonly R[];

  /**
   * @param base Serves callers that name no connection; it may also have a name, or refuse everything.
   * @param byName The named connections.
   */
  constructor(
    readonly base: R,
    readonly byName: ReadonlyMap<string, R> = new Map([[DEFAULT_CONNECTION_NAME, base]]),
  ) {
    this.all = [...new Set([base, ...byName.values()])];
  }

  /** @throws LockOptionsError that names the unknown connection and the known ones. */
  named(name: string): R {
    const found = this.byName.get(name);
    if (found) return found;
    const known = [...this.byName.keys()].map((each) => formatValue(each)).join(' or ');
    throw refused(known, name);
  }

  /** The connection of this name, or the one for callers that name none. */
  get(name: string | undefined): R {
    return name === undefined ? this.base : this.named(name);
  }
}

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
  given: ManualLockOptions | undefined,
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
