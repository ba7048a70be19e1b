import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from '../../test/servers/worker/worker-host.js';
import type { Address, OpenLibrary, OpenOptions } from '../adapters/adapter.js';
import { nodeAdapters } from '../adapters/index.js';
import type { Load, Slice, SlicesDone, SlicesTask } from './slices.js';

const WARM_UP_SLICES = 40;
/** Until V8 has compiled the code of both builds: one loop alone would take long for that. */
const WARM_UP_MS = 600;
const WARM_UP: Load = { scenario: 'warm-up', loops: 64, isShared: false };
const WAIT_MS = 10_000;
const US_PER_S = 1e6;

const [, , before = '', now = '', connection = '', options = '{}'] = process.argv;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: object) => void;

async function open(name: string): Promise<OpenLibrary> {
  const adapter = nodeAdapters.get(name);
  if (adapter === undefined) throw new Error(`There is no adapter '${name}'`);
  return await adapter.open(JSON.parse(connection) as Address, JSON.parse(options) as OpenOptions);
}

async function slice(library: OpenLibrary, { scenario, loops, isShared }: Load, ms: number): Promise<Slice> {
  // No build pays for the garbage of the other, or for its timers.
  await sleep(1);
  collect({ type: 'minor' });
  const start = performance.now();
  const used = process.cpuUsage();
  let pairs = 0;
  const run = async (key: string): Promise<void> => {
    while (performance.now() < start + ms) {
      const held = await library.acquire(key, { wait: WAIT_MS });
      await held.release();
      pairs++;
    }
  };
  const keys = Array.from({ length: loops }, (_, loop) => `${scenario}:${isShared ? 0 : loop}`);
  await Promise.all(keys.map(run));
  const { user, system } = process.cpuUsage(used);
  return { cpu: (user + system) / pairs, perSecond: (pairs / (performance.now() - start)) * (US_PER_S / 1000) };
}

async function main(): Promise<void> {
  const [first, second] = [await open(before), await open(now)];
  const slices = async ({ slices: count, ms, ...load }: SlicesTask): Promise<SlicesDone> => {
    for (const library of [first, second]) await slice(library, WARM_UP, WARM_UP_MS);
    const done = { before: [] as Slice[], now: [] as Slice[] };
    for (let index = -WARM_UP_SLICES; index < count; index++) {
      // By chance: with turns, one build would always follow the other.
      const isFirst = Math.random() < 0.5;
      const one = await slice(isFirst ? first : second, load, ms);
      const other = await slice(isFirst ? second : first, load, ms);
      if (index < 0) continue;
      done.before.push(isFirst ? one : other);
      done.now.push(isFirst ? other : one);
    }
    return done;
  };
  serve({ slices });
}

void main();
