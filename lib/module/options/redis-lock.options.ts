import type { Fencing } from '../../backend/lock-operations.js';
import type { RedisDriver } from '../../backend/driver/redis-driver.js';
import type { DriverName } from '../../backend/driver/drivers.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { oneOf } from '../../validation/one-of.js';
import type { ConnectionInput } from '../../backend/redis-target.js';
import { AS_IF_UNSET, missingValueIn } from '../../validation/missing-value.js';
import { invalidOption, namesIn, parseOptions } from '../../validation/options.js';
import { type DeadlockOptions, parseDeadlocks } from './deadlock.options.js';
import { type HandoverOptions, parseHandover } from './handover.options.js';
import { type HolderRecordOptions, parseHolderRecords } from './holder-records.options.js';
import { OPTIONS_OF_MODULE, refuseOtherThanOptions } from './misplaced-options.js';
import { parseReplicas, type ReplicaOptions } from './replica.options.js';
import { connectionParser, parseDriver } from './connection.options.js';
import { parseConnectionTargets } from './connection-targets.js';
import { parseRedLockBeside, type RedLockOptions } from './red-lock.options.js';
import { parseRenewIn, type RenewInWorker } from './renew-in.options.js';
import { workerData } from '../renewal-worker.factory.js';
import type { LockSettings } from './lock-settings.js';
import { parseRelease, type WithLockOptions } from '../../locks/options/lock.options.js';
import { type Duration, MAX_DURATION, parseDuration, parseWait } from '../../time/duration.js';

/** Options of `RedisLockModule.forRoot()`. Every option has a default. Durations are ms or such as `'30s'`. */
export interface RedisLockOptions extends DeadlockOptions {
  /**
   * A URL or options of one server, options with `sentinels` and `name`, `{ cluster: [nodes] }`, or a client of any of
   * these; or `'memory'`, the memory of this process, for tests and development. Connections are made from a client
   * with the settings that locks need; it is never changed or closed. Default: `redis://127.0.0.1:6379`; if
   * only `redLock` is given there is no default, and everything except `getRedLock(name)` is refused. A key that is
   * present but undefined is refused, because it mostly comes from an unset environment variable.
   */
  readonly connection?: ConnectionInput;
  /**
   * Several named connections in place of `connection`, each an input as for `connection`, or `'memory'` for a separate
   * in-process memory. `@Locked('order:<0>', { connection: 'billing' })` and `locks.forConnection('billing')` select
   * one; locks that name none use `default`, and are refused if there is no `default`. The same name on two connections
   * is two locks.
   */
  readonly connections?: Readonly<Record<string, ConnectionInput>>;
  /**
   * The client library that makes the connections, or a driver of another one; a client given as `connection` is made
   * again by its own library. The library is loaded with the first connection. Default: the one that is installed, the
   * first of `DriverName` if both are. The start-up probe tells which it is.
   */
  readonly driver?: DriverName | RedisDriver | undefined;
  /** Independent servers for `LockService.getRedLock(name)`. All other locks use the connections. Default: none. */
  readonly redLock?: RedLockOptions | undefined;
  /**
   * Prefix of every name, on all connections, to keep locks apart from the application's keys. Default: the `keyPrefix`
   * of each connection, otherwise none, and the start-up probe warns. `''`: deliberately none.
   */
  readonly keyPrefix?: string | undefined;
  /** Default wait limit. Default: 10 s. `Infinity`: without limit. */
  readonly wait?: Duration | undefined;
  /**
   * When `withLock` and `@Locked` return their result: once the server has confirmed the release, or with `background`
   * once it has been written, which saves a round trip. Default: `confirmed`.
   */
  readonly release?: WithLockOptions['release'];
  /**
   * Lease of a hold without a `lease` option, renewed every third of it. Default: 30 s (Redisson:
   * `lockWatchdogTimeout`).
   */
  readonly renewedLease?: Duration | undefined;
  /**
   * The thread that renews holds. `main`: the one that the application runs in, so a lock is lost if the event loop stands
   * for longer than its lease. `worker`: also a worker thread with a connection of its own, once the event loop has stood
   * for a third of a lease. It stops when the loop has stood for a minute, or `{ worker: '5m' }`, so that a process which
   * hangs gives up its locks. Not for `'memory'`, nor for a `driver` of your own. Default: `main`.
   */
  readonly renewIn?: 'main' | 'worker' | RenewInWorker | undefined;
  /**
   * How long a fair lock keeps the queue position of a waiter that has died, and new readers let a waiting writer
   * (`preference: 'writer'`) go first that has died. Live ones confirm theirs every third of it. Default: 5 s; at least
   * 100 ms (Redisson: `fairLockWaitTimeout`, 5 min, because its waiters never confirm).
   */
  readonly fairWaitTimeout?: Duration | undefined;
  /** Longest time for one command to reply before its outcome counts as unknown. Default: 1 s; 50 ms … 2 s. */
  readonly commandTimeout?: Duration | undefined;
  /**
   * Longest time for the whole shutdown. Of 10 s, holders have 9 s to finish, then 0.5 s after their signals abort, and
   * 0.5 s remain to undo open acquisitions and to close connections; of less than 2.5 s these are 3/5, 1/5 and 1/5. A
   * part ends as soon as nothing is held. Default: 10 s.
   */
  readonly shutdownTimeout?: Duration | undefined;
  /** How often a waiter asks the server without a message: the longest delay caused by a lost message. Default: 5 s. */
  readonly safetyPoll?: Duration | undefined;
  /** Longest name, prefix included, in bytes of UTF-8. Default: 512. */
  readonly maxNameBytes?: number | undefined;
  /**
   * Most names that one call may lock: elements of the lists in a key template, names returned by a key function,
   * members of `getMultiLock` and `getRedLock`, values of `getGroupLock`. More are refused with `LockNameError` before
   * any further name is made, because the length of a list often comes from a client. Default: 1,000.
   */
  readonly maxNames?: number | undefined;
  /** Whether names may contain control characters. Default: false. */
  readonly allowControlCharacters?: boolean | undefined;
  /**
   * Source of fencing tokens. `clock`: the server's time in microseconds, or one above the last token if that is more,
   * so that tokens keep rising after Redis has lost its data. `counter`: one above the last token, as in Redisson.
   * Peers with `counter` continue above either. Default: `clock`.
   */
  readonly fencing?: Fencing | undefined;
  /**
   * Limits for passing an unfair lock from one waiter of this process to the next without a round trip, before it is
   * released on the server: `max` times, and `ms` since the server granted it. `false`: never. Default: at least 16 times,
   * and as long as passing it on twice would take; 5 ms.
   */
  readonly handover?: HandoverOptions | false | undefined;
  /** Most waiters for one lock in this process; further ones get `LockQueueFullError` at once. Default: 10,000. */
  readonly maxQueue?: number | undefined;
  /**
   * Longest time for which the watchdog renews a hold; it then emits an event and lets the hold expire. Default: none,
   * but the watchdog warns of holds older than 5 minutes.
   */
  readonly maxHold?: Duration | undefined;
  /**
   * How many replicas must have a lock or a permit before it counts as acquired, and how long that may take; otherwise
   * the acquisition is undone and rejects with `LockUnavailableError`. Changes to the number of a semaphore or latch
   * (set, add, release, count down) reject with it as well: a release or count-down then continues in the background,
   * and every other change stays. Not confirmed by replicas: renewals, releases of locks and of permits with ids,
   * shared results, and RedLock nodes. On a server without `WAIT` the first acquisition rejects permanently. Default:
   * no replicas are asked.
   */
  readonly replicas?: ReplicaOptions | undefined;
  /**
   * How long no lock is granted after a server has started, restarted or was promoted, because it may have lost current
   * holds: `true` for `renewedLease`, or the longest lease in use. Default: `false`, no guard.
   */
  readonly restartGuard?: Duration | boolean | undefined;
  /**
   * Whether who holds a lock (host, process, service, method, trace id, the `note` of the call, since) is written beside
   * it, for `inspect()` and `list()`, once it has been held for 100 ms. Costs a command then, and for each renewal and the
   * release. Default: false.
   */
  readonly holderRecords?: HolderRecordOptions | boolean | undefined;
  /**
   * Whether the servers are checked when the application starts. `refuse`: the application does not start if a server
   * refuses the connection permanently (a wrong password, an untrusted certificate) or if locks could not be trusted
   * there; if that is found only after the start, the connection grants no locks. `warn`: only logs. `false`: no check.
   * Default: `refuse`.
   */
  readonly probe?: 'refuse' | 'warn' | false | undefined;
  /**
   * Whether messages in a cluster stay within the lock's shard (`SPUBLISH`). All peers must use the same setting.
   * `auto`: as Redisson decides, if the servers support it (Redis 7). `false`: for use with Redisson before 3.22, 3.27,
   * or with `ShardedSubscriptionMode.OFF`; with different settings, releases of one peer do not wake waiters of the
   * other. Default: `auto`.
   */
  readonly shardedPubSub?: 'auto' | boolean | undefined;
  /** HTTP status if another owner holds the lock and one attempt was allowed. Default: 409. */
  readonly conflictStatus?: 409 | 423 | undefined;
}

/** Each option, and whether it is about the servers, which a test in memory has none of. */
const ABOUT = {
  connection: 'servers',
  connections: 'servers',
  driver: 'servers',
  redLock: 'servers',
  keyPrefix: 'locks',
  wait: 'locks',
  renewedLease: 'locks',
  renewIn: 'servers',
  fairWaitTimeout: 'locks',
  commandTimeout: 'locks',
  shutdownTimeout: 'locks',
  safetyPoll: 'locks',
  maxNameBytes: 'locks',
  maxNames: 'locks',
  allowControlCharacters: 'locks',
  fencing: 'locks',
  release: 'locks',
  handover: 'locks',
  maxQueue: 'locks',
  maxHold: 'locks',
  replicas: 'servers',
  restartGuard: 'servers',
  holderRecords: 'locks',
  probe: 'servers',
  shardedPubSub: 'locks',
  conflictStatus: 'locks',
  deadlocks: 'locks',
  lockOrder: 'locks',
} as const satisfies Readonly<Record<keyof RedisLockOptions, 'servers' | 'locks'>>;

const OPTIONS: ReadonlySet<keyof RedisLockOptions> = new Set(namesIn(ABOUT));
export const ABOUT_SERVERS = namesIn(ABOUT).filter((name) => ABOUT[name] === 'servers');

/** @throws LockOptionsError that names the option and its value. */
export const parseModuleOptions = (options: RedisLockOptions): LockSettings => {
  refuseOtherThanOptions(options);
  const given = parseOptions(options, OPTIONS, OPTIONS_OF_MODULE);
  const parseConnection = connectionParser(parseDriver(given.driver));
  const targets = parseConnectionTargets({ ...given, keyPrefix: keyPrefix(given.keyPrefix) }, parseConnection);
  const { main, others } = targets;
  const renewedLease = duration(given.renewedLease, 'renewedLease', 30_000, 50);
  const settings: LockSettings = {
    ...main,
    others,
    redLock: parseRedLockBeside(main, given.redLock, parseConnection),
    wait: given.wait === undefined ? 10_000 : parseWait(given.wait, 'wait'),
    releasesInBackground: parseRelease(given.release) === 'background',
    renewedLease,
    renewIn: parseRenewIn(given.renewIn, renewedLease, given.driver),
    fairWaitTimeout: duration(given.fairWaitTimeout, 'fairWaitTimeout', 5000, 100),
    commandTimeout: duration(given.commandTimeout, 'commandTimeout', 1000, 50, 2000),
    shutdownTimeout: duration(given.shutdownTimeout, 'shutdownTimeout', 10_000, 0),
    safetyPoll: duration(given.safetyPoll, 'safetyPoll', 5000, 50),
    names: {
      maxBytes: count(given.maxNameBytes, 'maxNameBytes', 512),
      allowControlCharacters: oneOf(given.allowControlCharacters, 'allowControlCharacters', [false, true]),
    },
    maxNames: count(given.maxNames, 'maxNames', 1000),
    fencing: oneOf<Fencing>(given.fencing, 'fencing', ['clock', 'counter']),
    handOver: parseHandover(given.handover),
    maxQueue: count(given.maxQueue, 'maxQueue', 10_000),
    maxHold: maxHold(given.maxHold, renewedLease),
    replicas: parseReplicas(given.replicas),
    restartGuard: restartGuard(given.restartGuard, renewedLease),
    holderRecords: parseHolderRecords(given.holderRecords),
    probe: oneOf<'refuse' | 'warn' | false>(given.probe, 'probe', ['refuse', 'warn', false]),
    shardedPubSub: oneOf<'auto' | boolean>(given.shardedPubSub, 'shardedPubSub', ['auto', true, false]),
    conflictStatus: oneOf(given.conflictStatus, 'conflictStatus', [409, 423]),
    ...parseDeadlocks(given),
  };
  refuseForWorker(settings);
  return settings;
};

/** @throws LockOptionsError if a connection cannot be given to the worker: at the start, not when it is needed. */
const refuseForWorker = (settings: LockSettings): void => {
  const { renewIn, redLock, target, others, commandTimeout } = settings;
  if (renewIn === undefined) return;
  workerData({ redLock, target, commandTimeout }, renewIn.longest);
  for (const other of others.values()) workerData({ ...other, redLock: undefined, commandTimeout }, renewIn.longest);
};

const duration = (value: unknown, option: string, fallback: number, min: number, max = MAX_DURATION): number =>
  value === undefined ? fallback : parseDuration(value, option, { min, max });

const count = (value: unknown, option: string, fallback: number): number => {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalidOption(option, value, 'a whole number above 0');
};

const maxHold = (value: unknown, renewedLease: number): number =>
  value === undefined
    ? Number.POSITIVE_INFINITY
    : parseDuration(value, 'maxHold', { min: renewedLease, max: MAX_DURATION, infinity: true });

/** With a guard shorter than the watchdog's lease, a lock could have two holders. */
const restartGuard = (value: unknown, renewedLease: number): number => {
  if (value === undefined || value === false) return 0;
  return value === true ? renewedLease : parseDuration(value, 'restartGuard', { min: renewedLease, max: MAX_DURATION });
};

const keyPrefix = (value: unknown): string | undefined => {
  if (value === undefined) return value;
  if (typeof value !== 'string') throw invalidOption('keyPrefix', value, 'text');
  const missing = missingValueIn(value);
  if (missing === undefined) return value;
  throw new LockOptionsError(
    `keyPrefix has ${formatValue(missing)} in it${AS_IF_UNSET}; give a prefix such as 'lock:'`,
    { details: { option: 'keyPrefix', value } },
  );
};
