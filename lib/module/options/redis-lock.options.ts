import type { Fences } from '../../backend/lock-operations.js';
import type { ConnectionInput } from '../../backend/redis/connection/connection-input.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { parseOptions, invalidOption } from '../../validation/options.js';
import { type HandoverOptions, parseHandover } from './handover.options.js';
import { parseReplicas, type ReplicaOptions } from './replica.options.js';
import { parseConnection } from './connection.options.js';
import { parsePlaces } from './connection-targets.js';
import { parseRedlockOptions, type RedlockOptions, type RedlockSettings } from './redlock.options.js';
import type { ConnectionTarget, LockSettings } from './settings.js';
import { type Duration, MAX_DURATION, parseDuration, parseWait } from '../../time/duration.js';

/** What `RedisLockModule.forRoot()` takes. Every option has a default. Durations are ms or such as `'30s'`. */
export interface RedisLockOptions {
  /** Where locks live. `memory` is this process's own memory, for tests and development. Default: `redis`. */
  readonly backend?: 'redis' | 'memory' | undefined;
  /**
   * A URL or ioredis options of one server, ioredis options with `sentinels` and `name`, `{ cluster: [nodes] }`, or an
   * ioredis client of any of these. A client is duplicated with the settings that locks need, never changed and never
   * closed. Default: `redis://127.0.0.1:6379`; with `redlock` alone there is none, and everything but
   * `getRedLock(name)` is refused. A key that is there but undefined is refused, since it mostly comes from a variable of
   * the environment that is not set.
   */
  readonly connection?: ConnectionInput;
  /**
   * Instead of `connection`: several, by their names, each such an input or `'memory'` for a memory of its own.
   * `@Locked('order:<0>', { connection: 'billing' })` and `locks.forConnection('billing')` choose one; what names none
   * lives on `default`, and is refused where there is no `default`. One name on two connections is two locks.
   */
  readonly connections?: Readonly<Record<string, ConnectionInput>>;
  /** Independent servers for `LockService.getRedLock(name)`. All other locks live on connections. Default: none. */
  readonly redlock?: RedlockOptions | undefined;
  /**
   * Put before every name, on all connections, so that no lock has the name of a key of the application. Default: the
   * `keyPrefix` of each connection, else none, of which the start-up probe warns. `''`: none is wanted.
   */
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
  /**
   * How many names one call may lock: the elements of the lists that a key template goes through, what a key function
   * returns, the members of `getMultiLock` and `getRedLock`, the values of `getGroupLock`. More are refused with
   * `LockNameError` before any further name is made, since the length of a list often comes from a client. Default: 1,000.
   */
  readonly maxNames?: number | undefined;
  /** Whether names may hold control characters. Default: false. */
  readonly allowControlCharacters?: boolean | undefined;
  /**
   * Where fencing tokens come from. `clock`: the server's time in microseconds, or one above the last token where that
   * is more, so that tokens go on rising when Redis has lost its data. `counter`: one above the last, as Redisson
   * counts. Peers that count go on above either. Default: `clock`.
   */
  readonly fences?: Fences | undefined;
  /**
   * How far an unfair lock may go from one waiter of this process to the next without a round trip before it is really
   * released: `max` times, and for `ms` since the server granted it. `false`: not at all. Default: 16 times, 5 ms.
   */
  readonly handover?: HandoverOptions | false | undefined;
  /**
   * How many may wait for one lock in this process; who comes then gets `LockQueueFullError` at once. Default: 10,000.
   */
  readonly maxQueue?: number | undefined;
  /**
   * The longest time for which the watchdog keeps a hold; it says so and lets the hold end then. Default: none, but it
   * warns of holds older than 5 minutes.
   */
  readonly maxHold?: Duration | undefined;
  /**
   * How many replicas must have a lock or a permit before it counts as acquired, and how long that may take; otherwise the
   * acquisition is undone and rejects with `LockUnavailableError`. What sets, adds, releases or counts down the number of a
   * semaphore or latch rejects with it as well: a release or count-down then goes on in the background, everything else
   * stays. Not asked about are renewals, releases of locks and of permits with ids, shared results, and RedLock nodes. On a
   * server without `WAIT` the first acquisition rejects for good. Default: none are asked.
   */
  readonly replicas?: ReplicaOptions | undefined;
  /**
   * For how long no lock is granted after a server has started, restarted or was promoted, since it may have forgotten
   * those that are held: `true` for `watchdogTimeout`, or the longest lease in use. Default: `false`, no time.
   */
  readonly restartGuard?: Duration | boolean | undefined;
  /**
   * Whether the servers are looked at when the application starts. `refuse`: it does not start where a server refuses the
   * connection for good, as with a wrong password or a certificate that is not trusted, nor, or gets no locks, where locks
   * could not be trusted; `warn`: it only says so; `false`: nothing is asked. Default: `refuse`.
   */
  readonly probe?: 'refuse' | 'warn' | false | undefined;
  /**
   * Whether messages in a cluster stay with the shard of the lock (`SPUBLISH`), which all peers must do alike. `auto`: as
   * Redisson decides, where the servers know how to (Redis 7). `false`: beside Redisson before 3.22, 3.27, or with
   * `ShardedSubscriptionMode.OFF`; otherwise nobody wakes anybody across the two. Default: `auto`.
   */
  readonly shardedPubSub?: 'auto' | boolean | undefined;
  /** HTTP status when somebody else holds the lock and one try was allowed. Default: 409. */
  readonly conflictStatus?: 409 | 423 | undefined;
}

const OPTIONS = [
  'backend',
  'connection',
  'connections',
  'redlock',
  'keyPrefix',
  'wait',
  'watchdogTimeout',
  'fairWaitTimeout',
  'commandTimeout',
  'shutdownTimeout',
  'safetyPoll',
  'maxNameBytes',
  'maxNames',
  'allowControlCharacters',
  'fences',
  'handover',
  'maxQueue',
  'maxHold',
  'replicas',
  'restartGuard',
  'probe',
  'shardedPubSub',
  'conflictStatus',
] as const satisfies readonly (keyof RedisLockOptions)[];

const BESIDE_FACTORY = 'beside useFactory, useClass or useExisting in forRootAsync(), not in what they return';
const IN_CONNECTION = 'in connection, such as connection: { host, port, password } or a redis:// URL';
const WHERE_LOCKED = 'where something is locked: @Locked, acquire, withLock';

const PLACE = {
  of: 'RedisLockModule',
  elsewhere: {
    isGlobal: BESIDE_FACTORY,
    exceptionFilter: BESIDE_FACTORY,
    ...Object.fromEntries(
      ['host', 'port', 'username', 'password', 'db', 'tls', 'path', 'sentinels', 'cluster', 'url'].map((name) => [
        name,
        IN_CONNECTION,
      ]),
    ),
    ...Object.fromEntries(['lease', 'fair', 'mode', 'fenced', 'onConflict'].map((name) => [name, WHERE_LOCKED])),
    nodes: 'in redlock: { nodes: [connection, connection, connection] }',
  },
};

/** @throws LockOptionsError naming the option and its value. */
export const parseModuleOptions = (options: RedisLockOptions): LockSettings => {
  // A factory that returns nothing would connect to the default server.
  if (options === undefined) throw invalidOption('the options of RedisLockModule', options, 'an object, such as {}');
  const given = parseOptions(options, OPTIONS, PLACE);
  const backend = oneOf<'redis' | 'memory'>(given.backend, 'backend', ['redis', 'memory']);
  const { place, others } = parsePlaces({ ...given, backend, keyPrefix: keyPrefix(given.keyPrefix) });
  const watchdogTimeout = duration(given.watchdogTimeout, 'watchdogTimeout', 30_000, 50);
  return {
    ...place,
    others,
    redlock: redlockBeside(place, given.redlock),
    wait: given.wait === undefined ? 10_000 : parseWait(given.wait, 'wait'),
    watchdogTimeout,
    fairWaitTimeout: duration(given.fairWaitTimeout, 'fairWaitTimeout', 5000, 100),
    commandTimeout: duration(given.commandTimeout, 'commandTimeout', 1000, 50, 2000),
    shutdownTimeout: duration(given.shutdownTimeout, 'shutdownTimeout', 2000, 0),
    safetyPoll: duration(given.safetyPoll, 'safetyPoll', 5000, 50),
    names: {
      maxBytes: count(given.maxNameBytes, 'maxNameBytes', 512),
      allowControlCharacters: oneOf(given.allowControlCharacters, 'allowControlCharacters', [false, true]),
    },
    maxNames: count(given.maxNames, 'maxNames', 1000),
    fences: oneOf(given.fences, 'fences', ['clock', 'counter']),
    handOver: parseHandover(given.handover),
    maxQueue: count(given.maxQueue, 'maxQueue', 10_000),
    maxHold: maxHold(given.maxHold, watchdogTimeout),
    replicas: parseReplicas(given.replicas),
    restartGuard: restartGuard(given.restartGuard, watchdogTimeout),
    probe: oneOf<'refuse' | 'warn' | false>(given.probe, 'probe', ['refuse', 'warn', false]),
    shardedPubSub: oneOf<'auto' | boolean>(given.shardedPubSub, 'shardedPubSub', ['auto', true, false]),
    conflictStatus: oneOf(given.conflictStatus, 'conflictStatus', [409, 423]),
  };
};

const duration = (value: unknown, option: string, fallback: number, min: number, max = MAX_DURATION): number =>
  value === undefined ? fallback : parseDuration(value, option, { min, max });

const count = (value: unknown, option: string, fallback: number): number => {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalidOption(option, value, 'a whole number above 0');
};

/** One of the allowed values; the first is the default. */
const oneOf = <T>(value: unknown, option: string, allowed: readonly [T, ...T[]]): T => {
  if (value === undefined) return allowed[0];
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw invalidOption(option, value, allowed.map((candidate) => formatValue(candidate)).join(' or '));
  return found;
};

const maxHold = (value: unknown, watchdogTimeout: number): number =>
  value === undefined
    ? Number.POSITIVE_INFINITY
    : parseDuration(value, 'maxHold', { min: watchdogTimeout, max: MAX_DURATION, infinity: true });

/** A guard shorter than what the watchdog grants would let a lock go to two. */
const restartGuard = (value: unknown, watchdogTimeout: number): number => {
  if (value === undefined || value === false) return 0;
  return value === true
    ? watchdogTimeout
    : parseDuration(value, 'restartGuard', { min: watchdogTimeout, max: MAX_DURATION });
};

const keyPrefix = (value: unknown): string | undefined => {
  if (value === undefined || typeof value === 'string') return value;
  throw invalidOption('keyPrefix', value, 'text');
};

const redlockBeside = (
  { connection, absent, keyPrefix: prefix }: ConnectionTarget,
  redlock: unknown,
): RedlockSettings | undefined => {
  if (redlock === undefined) return undefined;
  if (connection !== undefined || absent !== undefined) return parseRedlockOptions(redlock, parseConnection, prefix);
  throw new LockOptionsError(
    'redlock makes no sense with backend "memory", which is one process; in tests use getLock(), or give real servers',
    { details: { option: 'redlock' } },
  );
};
