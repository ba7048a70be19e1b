import type { Fences } from './backend/fenced-transitions.js';
import { type ConnectionInput, isRedisClient, keyPrefixOf } from './backend/redis/client.js';
import { optionsOfUrl } from './backend/redis/connection-url.js';
import { LockOptionsError } from './errors.js';
import { describe } from './input/describe.js';
import { readOptions } from './input/read-options.js';
import { refusedOption } from './input/refused-option.js';
import type { NameLimits } from './keys/names.js';
import { parseRedlockOptions, type RedlockOptions, type RedlockSettings } from './redis-lock.redlock-options.js';
import { type Duration, MAX_DURATION, parseDuration, parseWait } from './time/duration.js';

/** What `RedisLockModule.forRoot()` takes. Every option has a default. Durations are ms or such as `'30s'`. */
export interface RedisLockOptions {
  /** Where locks live. `memory` is this process's own memory, for tests and development. Default: `redis`. */
  readonly backend?: 'redis' | 'memory' | undefined;
  /**
   * A URL, ioredis options, or an ioredis client of one server. A client is duplicated with the settings that locks
   * need, never changed and never closed. Default: `redis://127.0.0.1:6379`; with `redlock` alone there is
   * none, and everything but `getRedLock(name)` is refused.
   */
  readonly connection?: ConnectionInput | undefined;
  /** Independent servers for `LockService.getRedLock(name)`. All other locks live on `connection`. Default: none. */
  readonly redlock?: RedlockOptions | undefined;
  /** Put before every name. Default: the `keyPrefix` of the connection, else none. */
  readonly keyPrefix?: string | undefined;
  /** How long acquirers wait that do not say. Default: 10 s. `Infinity`: without limit. */
  readonly wait?: Duration | undefined;
  /** What a hold without a lease is renewed to, every third of it. Default: 30 s (Redisson: `lockWatchdogTimeout`). */
  readonly watchdogTimeout?: Duration | undefined;
  /**
   * For how long the place of a waiter for a fair lock is kept that has died. Waiters that live say so every third of
   * it. Default: 5 s (Redisson: `fairLockWaitTimeout`, 5 min, since its waiters never say so).
   */
  readonly fairWaitTimeout?: Duration | undefined;
  /** Longest time one command may take before its outcome counts as unknown. Default: 1 s; 50 ms … 2 s. */
  readonly commandTimeout?: Duration | undefined;
  /**
   * How long all that the module waits for at shutdown may take together. Running holders get most of it before their
   * signals abort; a fifth, at most 500 ms, is theirs to let go then, and as much remains to undo what is open and to
   * close connections. Default: 2 s.
   */
  readonly shutdownTimeout?: Duration | undefined;
  /** How often a waiter asks although no message came: what one lost message may cost. Default: 5 s. */
  readonly safetyPoll?: Duration | undefined;
  /** Longest name, prefix included, in bytes of UTF-8. Default: 512. */
  readonly maxNameBytes?: number | undefined;
  /** Whether names may hold control characters. Default: false. */
  readonly allowControlCharacters?: boolean | undefined;
  /**
   * Where fencing tokens come from. `clock`: the server's time in microseconds, or one above the last token where that
   * is more, so that tokens go on rising when Redis has lost its data. `counter`: one above the last, as Redisson
   * counts. Peers that count go on above either. Default: `clock`.
   */
  readonly fences?: Fences | undefined;
  /** HTTP status when somebody else holds the lock and one try was allowed. Default: 409. */
  readonly conflictStatus?: 409 | 423 | undefined;
}

/** The options, read once, checked and complete. Durations are ms. */
export interface LockSettings {
  /** `undefined` is the memory backend. */
  readonly connection: ConnectionInput | undefined;
  /** Whether masters were given and nothing else: then there is no connection, not even a default one. */
  readonly onlyMasters: boolean;
  readonly redlock: RedlockSettings | undefined;
  readonly keyPrefix: string;
  readonly wait: number;
  readonly watchdogTimeout: number;
  readonly fairWaitTimeout: number;
  readonly commandTimeout: number;
  readonly shutdownTimeout: number;
  readonly safetyPoll: number;
  readonly names: NameLimits;
  readonly fences: Fences;
  readonly conflictStatus: 409 | 423;
}

const OPTIONS = [
  'backend',
  'connection',
  'redlock',
  'keyPrefix',
  'wait',
  'watchdogTimeout',
  'fairWaitTimeout',
  'commandTimeout',
  'shutdownTimeout',
  'safetyPoll',
  'maxNameBytes',
  'allowControlCharacters',
  'fences',
  'conflictStatus',
] as const satisfies readonly (keyof RedisLockOptions)[];

const DEFAULT_CONNECTION = 'redis://127.0.0.1:6379';

/** @throws LockOptionsError naming the option and its value. */
export const parseModuleOptions = (options: RedisLockOptions | undefined): LockSettings => {
  const given = readOptions(options, OPTIONS);
  const connection = connectionOf(given.backend, given.connection);
  const prefix = keyPrefix(given.keyPrefix) ?? (connection === undefined ? '' : keyPrefixOf(connection));
  return {
    connection,
    onlyMasters: given.connection === undefined && given.redlock !== undefined,
    redlock: redlockOf(connection, given.redlock, prefix),
    keyPrefix: prefix,
    wait: given.wait === undefined ? 10_000 : parseWait(given.wait, 'wait'),
    watchdogTimeout: duration(given.watchdogTimeout, 'watchdogTimeout', 30_000, 50),
    fairWaitTimeout: duration(given.fairWaitTimeout, 'fairWaitTimeout', 5000, 100),
    commandTimeout: duration(given.commandTimeout, 'commandTimeout', 1000, 50, 2000),
    shutdownTimeout: duration(given.shutdownTimeout, 'shutdownTimeout', 2000, 0),
    safetyPoll: duration(given.safetyPoll, 'safetyPoll', 5000, 50),
    names: {
      maxBytes: count(given.maxNameBytes, 'maxNameBytes', 512),
      allowControlCharacters: oneOf(given.allowControlCharacters, 'allowControlCharacters', [false, true]),
    },
    fences: oneOf(given.fences, 'fences', ['clock', 'counter']),
    conflictStatus: oneOf(given.conflictStatus, 'conflictStatus', [409, 423]),
  };
};

const duration = (value: unknown, option: string, fallback: number, min: number, max = MAX_DURATION): number =>
  value === undefined ? fallback : parseDuration(value, option, { min, max });

const count = (value: unknown, option: string, fallback: number): number => {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw refusedOption(option, value, 'a whole number above 0');
};

/** One of the allowed values; the first is the default. */
const oneOf = <T>(value: unknown, option: string, allowed: readonly [T, ...T[]]): T => {
  if (value === undefined) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw refusedOption(option, value, allowed.map((candidate) => describe(candidate)).join(' or '));
  return found;
};

const keyPrefix = (value: unknown): string | undefined => {
  if (value === undefined || typeof value === 'string') return value;
  throw refusedOption('keyPrefix', value, 'text');
};

const connectionOf = (backend: unknown, connection: unknown): ConnectionInput | undefined => {
  if (oneOf(backend, 'backend', ['redis', 'memory']) === 'redis')
    return connectionInput(connection === undefined ? DEFAULT_CONNECTION : connection);
  if (connection === undefined) return undefined;
  throw new LockOptionsError('connection makes no sense with backend "memory"; give one of the two', {
    details: { option: 'connection' },
  });
};

const redlockOf = (
  connection: ConnectionInput | undefined,
  redlock: unknown,
  prefix: string,
): RedlockSettings | undefined => {
  if (redlock === undefined) return undefined;
  if (connection !== undefined) return parseRedlockOptions(redlock, connectionInput, prefix);
  throw new LockOptionsError(
    'redlock makes no sense with backend "memory", which is one process; in tests use getLock(), or give real servers',
    { details: { option: 'redlock' } },
  );
};

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Options of other libraries, or of set-ups that need other settings: ioredis would ignore them, or lock unsafely. */
const FOREIGN_OPTIONS = ['url', 'uri', 'nodes', 'cluster', 'sentinels'];

/** Never shows the value: it may carry a password. */
const connectionInput = (connection: unknown): ConnectionInput => {
  if (typeof connection === 'string') {
    optionsOfUrl(connection);
    return connection;
  }
  if (isRedisClient(connection)) {
    if (!connection.isCluster) return connection;
    throw refusedConnection('must be a client, URL or options of one server, not a Cluster client');
  }
  if (!isPlainObject(connection)) {
    const found = Array.isArray(connection) ? 'a list' : describe(connection);
    throw refusedConnection(`must be a redis:// or rediss:// URL, ioredis options or an ioredis client, not ${found}`);
  }
  const foreign = FOREIGN_OPTIONS.find((option) => option in connection);
  if (foreign === undefined) return connection;
  throw refusedConnection(
    `has "${foreign}"; give a URL as text, or { host, port } and other ioredis options of one server`,
  );
};

const refusedConnection = (why: string): LockOptionsError =>
  new LockOptionsError(`connection ${why}`, { details: { option: 'connection' } });
