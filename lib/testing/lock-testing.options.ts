import type { Scheduler } from '../time/scheduler.js';
import type { LockSettings } from '../module/options/lock-settings.js';
import { ABOUT_SERVERS, parseModuleOptions, type RedisLockOptions } from '../module/options/redis-lock.options.js';
import { invalidOption, namesOf, parseOptions } from '../validation/options.js';
import { ManualClock } from './manual-clock.js';

/**
 * The timers and the date of the process, read at each call: the fake timers of jest and node:test replace them. `performance.now()` is not used, because those of node:test do not replace it.
 */
const timersClock: Scheduler = {
  now: () => Date.now(),
  schedule(ms, task) {
    const timer = setTimeout(task, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Options of `LockTesting`. */
export interface LockTestingOptions {
  /**
   * The clock of the locks. Default: a new `ManualClock`, which `advance()` moves. `timers`: the timers and the date of
   * the process, for fake timers of jest or node:test; set them up before the application is created.
   */
  readonly clock?: ManualClock | 'timers' | undefined;
}

const OPTIONS = namesOf<LockTestingOptions>()('clock');

/** @throws LockOptionsError that names option and value. */
export const parseTestingOptions = (options: LockTestingOptions | undefined): { readonly clock: Scheduler } => {
  const { clock } = parseOptions(options, OPTIONS, { of: 'LockTesting' });
  if (clock === undefined) return { clock: new ManualClock() };
  if (clock === 'timers') return { clock: timersClock };
  if (clock instanceof ManualClock) return { clock };
  throw invalidOption('clock', clock, 'a ManualClock or "timers"');
};

/**
 * The settings of an application, with the memory in place of its servers. An application that is closed while it holds
 * locks does not wait for them, because the clock may stand.
 * @throws LockOptionsError
 */
export const settingsInMemory = (options: RedisLockOptions): LockSettings => {
  const given: unknown = options;
  const { connections: named = {} } = { ...options };
  // Not an object: refused below with the rule for it.
  if (!isObject(given) || !isObject(named)) return parseModuleOptions(options);
  const inMemory = { ...options };
  // `connection` may be undefined in a test, and a RedLock would connect to its servers.
  for (const option of ABOUT_SERVERS) delete inMemory[option];
  const names = Object.keys(named);
  const connections = Object.fromEntries(names.map((name) => [name, 'memory']));
  const settings = parseModuleOptions(
    names.length > 0 ? { ...inMemory, connections } : { ...inMemory, connection: 'memory' },
  );
  return { ...settings, shutdownTimeout: 0 };
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
