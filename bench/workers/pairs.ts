import { percentile } from '../figures/statistics.js';
import type { LockedCall, OpenLibrary } from '../adapters/adapter.js';
import { now, NS_PER_MS } from './clock.js';
import type { DistinctDone, DistinctTask, PairsDone, PairsTask } from './tasks.js';

/** Wait for a lock that is free: long enough for a library that asks again. */
const WAIT_MS = 10_000;
const NS_PER_US = 1e3;
const NS_PER_S = 1e9;
const US_PER_MS = 1e3;

const acquireAndRelease = (library: OpenLibrary): LockedCall => ({
  run: async (key) => {
    const held = await library.acquire(key, { wait: WAIT_MS });
    await held.release();
  },
});

/** Runs one loop on a free lock. What a call does not wait for is over before the next one, and not counted. */
export async function pairs(
  library: OpenLibrary,
  { key, warmUpMs, ms, form, count = Infinity }: PairsTask,
): Promise<PairsDone> {
  const call = form === undefined ? acquireAndRelease(library) : library.calls?.[form];
  if (!call) throw new Error(`The library has no call '${form}'`);
  const begin = now() + warmUpMs * NS_PER_MS;
  const end = begin + ms * NS_PER_MS;
  const took: number[] = [];
  let all = 0;
  for (let start = now(); start < end && all < count;) {
    await call.run(key);
    const done = now();
    all++;
    if (start >= begin) took.push((done - start) / NS_PER_US);
    start = done;
    if (!call.settled) continue;
    await call.settled(key);
    start = now();
  }
  return {
    ...{ all, perSecond: took.length / (ms / 1e3), p50: percentile(took, 0.5), p99: percentile(took, 0.99) },
    ...{ mean: took.reduce((sum, each) => sum + each, 0) / took.length, first: (took[0] ?? Number.NaN) / US_PER_MS },
  };
}

/** Runs many loops at a time, each on a free lock of its own. */
export async function distinct(
  library: OpenLibrary,
  { key, loops, warmUpMs, ms }: DistinctTask,
): Promise<DistinctDone> {
  const begin = now() + warmUpMs * NS_PER_MS;
  const end = begin + ms * NS_PER_MS;
  let all = 0;
  let count = 0;
  let last = begin;
  const run = async (own: string): Promise<void> => {
    for (let start = now(); start < end;) {
      const held = await library.acquire(own, { wait: WAIT_MS });
      await held.release();
      const done = now();
      all++;
      if (start >= begin) count++;
      last = done;
      start = done;
    }
  };
  await Promise.all(Array.from({ length: loops }, (_, loop) => run(`${key}:${loop}`)));
  return { all, perSecond: count / ((last - begin) / NS_PER_S) };
}
