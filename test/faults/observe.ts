import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ServedTime } from '../kit/served-time.js';

/** The tolerance for a comparison of the server's clock with ours, ms. Each counts milliseconds of its own. */
export const CLOCK_GRAIN = 20;

export interface Settled<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly ms: number;
  /** The part of the elapsed time for which this process could run, ms. */
  readonly servedMs: number;
  /** The longest time for which this process could not run, ms. */
  readonly longestStall: number;
}

/** Runs `work` to its end. Resolves with its value or error, and with the time that it took. */
export const settled = async <T>(work: () => Promise<T>): Promise<Settled<T>> => {
  const time = new ServedTime();
  const start = performance.now();
  const outcome = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  time.stop();
  return { ...outcome, ms: performance.now() - start, servedMs: time.elapsed, longestStall: time.longestStall };
};

/**
 * Fails if the run took longer than `most`, counting only the time for which this process could run.
 * @param ms A part of the run's time, if not all of it is meant.
 */
export const expectWithin = (run: Settled<unknown>, most: number, ms = run.ms): void => {
  expect((ms * run.servedMs) / run.ms).toBeLessThanOrEqual(most);
};

/** The commands inside scripts. The server counts them like any other, but no client sent them. */
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
 * The number of commands that clients sent, by name, from `INFO commandstats`. The server adds the commands inside
 * scripts to the same counters. Clients send none of these commands by themselves, except for TIME after each connect,
 * so they are left out. TIME counts as far as there are more of it than scripts, because each script calls it at most
 * once. The INFO that reads the counters is not in them yet, while earlier ones are.
 */
export const sentCommands = async (admin: Redis): Promise<Record<string, number>> => {
  const stats = await admin.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(
    ([, name = '', count]) => [name, Number(count)] as const,
  );
  return Object.fromEntries(calls.filter(([name]) => !INSIDE_SCRIPTS.includes(name)));
};

/** The number of executions of a command, inside scripts or not. */
export const executions = async (admin: Redis, command: string): Promise<number> => {
  const stats = await admin.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
};

/**
 * Runs `work` every `pause` ms until the returned function is called. That function rejects with the error of `work`. The pause
 * is {@link ServedTime}: on a busy machine, faults do not come faster than this process goes on.
 */
export const repeatedly = (work: () => unknown, pause: number): (() => Promise<void>) => {
  const stop = new AbortController();
  const time = new ServedTime();
  const done = (async () => {
    while (!stop.signal.aborted) {
      await work();
      const next = time.now + pause;
      while (time.now < next && !stop.signal.aborted) await sleep(Math.min(5, pause));
    }
  })().finally(() => time.stop());
  // The error is reported to the caller of the returned function.
  done.catch(() => {});
  return () => {
    stop.abort();
    return done;
  };
};

/** The states of a key that other clients saw. */
export interface KeySeen {
  /** The longest time for which the key existed without a break, ms. */
  longest: number;
  /** The shortest time to live that was seen, ms. */
  least: number;
  /** Whether the key ever existed without a time to live. */
  endless: boolean;
}

/** Watches a key from another client until the returned function is called. */
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
