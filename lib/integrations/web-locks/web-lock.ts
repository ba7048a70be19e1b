import { formatValue } from '../../validation/format-value.js';
import { invalidOption, namesOf, parseFlag, parseOptions, parseSignal } from '../../validation/options.js';

/** `exclusive`: one holder. `shared`: many holders, and none that is exclusive. */
export type WebLockMode = 'exclusive' | 'shared';

/** The options of `request()`, with the meanings that the Web Locks API gives them. */
export interface WebLockOptions {
  /** Default: `exclusive`. */
  readonly mode?: WebLockMode | undefined;
  /** `true`: calls the callback with `null` if the lock cannot be granted at once. Default: false. */
  readonly ifAvailable?: boolean | undefined;
  /**
   * `true`: ends the holds of the name, also of a request that waited and gets it meanwhile. The requests that held it
   * reject with an `AbortError`, although their callbacks may still run. Exclusive only. Default: false.
   */
  readonly steal?: boolean | undefined;
  /** Ends the wait: the request rejects with its reason. Has no effect once the lock is granted. */
  readonly signal?: AbortSignal | undefined;
}

/** A lock that is held while its callback runs. */
export interface WebLock {
  /** As given to `request()`. */
  readonly name: string;
  readonly mode: WebLockMode;
  /**
   * Aborts when the lock is stolen or lost. Not part of the Web Locks API, whose locks are in the same program: here a
   * server, or the way to it, may fail.
   */
  readonly signal: AbortSignal;
}

/** A lock that is held or waited for. */
export interface WebLockInfo {
  readonly name: string;
  readonly mode: WebLockMode;
  /** Of a lock that is held: the process, as the beginning of its owner ids in Redis. */
  readonly clientId?: string;
}

/** The locks of one moment, or nearly. */
export interface WebLockSnapshot {
  /** Held, by any process. */
  readonly held: WebLockInfo[];
  /** Waited for through this manager. */
  readonly pending: WebLockInfo[];
}

/** Runs under the lock. Its lock is `null` if `ifAvailable` was given and the lock could not be granted at once. */
export type WebLockCallback<T> = (lock: WebLock | null) => T;

/** A request, parsed and validated. */
export interface WebLockRequest {
  readonly mode: WebLockMode;
  readonly how: 'wait' | 'ifAvailable' | 'steal';
  readonly signal: AbortSignal | undefined;
}

const OPTIONS = namesOf<WebLockOptions>()('mode', 'ifAvailable', 'steal', 'signal');

const notSupported = (what: string): DOMException => new DOMException(what, 'NotSupportedError');

/**
 * @throws LockOptionsError for a value that no option has; DOMException `NotSupportedError` for what the Web Locks API does not
 *   allow.
 */
export const parseWebLock = (name: string, options: WebLockOptions | undefined): WebLockRequest => {
  const given = parseOptions(options, OPTIONS, { of: 'request' });
  const { mode = 'exclusive' } = given;
  if (mode !== 'exclusive' && mode !== 'shared') throw invalidOption('mode', mode, '"exclusive" or "shared"');
  const [ifAvailable, steal] = [parseFlag(given.ifAvailable, 'ifAvailable'), parseFlag(given.steal, 'steal')];
  const signal = parseSignal(given.signal);
  if (typeof name === 'string' && name.startsWith('-'))
    throw notSupported(`${formatValue(name)} is a name that the Web Locks API keeps for itself`);
  if (steal && mode === 'shared')
    throw notSupported('steal and mode "shared" exclude each other: only an exclusive lock is stolen');
  if (steal && ifAvailable) throw notSupported('steal and ifAvailable exclude each other: neither waits');
  if (signal && (steal || ifAvailable))
    throw notSupported(`signal and ${steal ? 'steal' : 'ifAvailable'} exclude each other: there is no wait to end`);
  return { mode, how: steal ? 'steal' : ifAvailable ? 'ifAvailable' : 'wait', signal };
};
