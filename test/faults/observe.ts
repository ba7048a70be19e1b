import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ServedTime } from '../kit/served-time.js';

/** The server's clock and ours are read, each in milliseconds of its own. */
export const CLOCK_GRAIN = 20;

export interface Settled<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly ms: number;
  /** The part of that time in which this process could run, ms. */
  readonly servedMs: number;
}

/** Runs `work` to its end and tells how that was and how long it took. */
export const settled = async <T>(work: () => Promise<T>): Promise<Settled<T>> => {
  const time = new ServedTime();
  const start = performance.now();
  const outcome = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  time.stop();
  return { ...outcome, ms: performance.now() - start, servedMs: time.elapsed };
};

/**
 * Fails when it took longer, as far as this process could run.
 * @param ms A part of that time, if not all of it is meant.
 */
export const expectWithin = (run: Settled<unknown>, most: number, ms = run.ms): void => {
  expect((ms * run.servedMs) / run.ms).toBeLessThanOrEqual(most);
};

/** Commands that the scripts call; the server counts them like any other, but no client sent them. */
const INSIDE_SCRIPTS = [
  'time',
  'exists',
  'hget',
  'hset',
  'hincrby',
  'hdel',
  'hkeys',
  'hlen',
  'type',
  'pttl',
  'pexpire',
  'del',
  'publish',
];

/**
 * How often clients sent each command, by `INFO commandstats`. The server adds what scripts call to the same counters.
 * Clients of ours send none of these commands by themselves, with one exception, TIME after each connect; so they are
 * left out, and TIME counts as far as there are more of it than scripts, each of which calls it at most once. The INFO
 * that reads the counters is not in them yet; that of earlier readings is.
 */
export const sentCommands = async (admin: Redis): Promise<Record<string, number>> => {
  const stats = await admin.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  );
  return Object.fromEntries(calls.filter(([name]) => !INSIDE_SCRIPTS.includes(name)));
};

/** How often a command ran at all, inside scripts or not. */
export const executions = async (admin: Redis, command: string): Promise<number> => {
  const stats = await admin.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
};

/** Does `work` every `pause` ms until the returned function is called. That one rejects with the error of `work`. */
export const repeatedly = (work: () => unknown, pause: number): (() => Promise<void>) => {
  const stop = new AbortController();
  const done = (async () => {
    while (!stop.signal.aborted) {
      await work();
      await sleep(pause);
    }
  })();
  // The caller that stops it gets the error.
  done.catch(() => {});
  return () => {
    stop.abort();
    return done;
  };
};

/** The states of a key, as seen from outside. */
export interface KeySeen {
  /** The longest time it was there without a break, ms. */
  longest: number;
  /** The shortest time to live while it was there. */
  least: number;
  /** Whether it was ever there without a time to live. */
  endless: boolean;
}

/** Looks at a key from outside until the function that is returned is called. */
export const watchKey = (admin: Redis, name: string): (() => Promise<KeySeen>) => {
  const seen: KeySeen = { longest: 0, least: Infinity, endless: false };
  let since: number | undefined;
  const stop = repeatedly(async () => {
    const left = await admin.pttl(name);
    if (left === -1) seen.endless = true;
    else if (left >= 0) seen.least = Math.min(seen.least, left);
    if (left === -2) since = undefined;
    else seen.longest = Math.max(seen.longest, performance.now() - (since ??= performance.now()));
  }, 5);
  return async () => {
    await stop();
    return seen;
  };
};
