import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { builtEntry } from '../adapters/nest-redis-lock.adapter.js';
import type { Address } from '../adapters/adapter.js';
import { median } from '../figures/statistics.js';
import { LIMIT, OURS } from '../libraries.js';
import type { Launch } from '../set-up/set-up.js';
import type { Figures, Scenario } from './scenario.js';

const STARTS = 5;
const BYTES_PER_KB = 1000;

const NEST = ['reflect-metadata', '@nestjs/common', '@nestjs/core'];

/** How a program starts with a library. It runs in the folder of the benchmark, which has the peers. */
interface Start {
  readonly title: string;
  /** The folder of the package. */
  readonly folder: string;
  /** What an application with Nest loads, after these. */
  readonly loads: string;
  readonly after: readonly string[];
  /** Statements that take the first lock, with nothing loaded. */
  readonly takesLock: (address: Address) => string;
}

const starts: ReadonlyMap<string, Start> = new Map(
  Object.entries({
    [OURS]: {
      title: 'nest-redis-lock',
      folder: '..',
      loads: builtEntry(),
      after: [...NEST, 'ioredis'],
      takesLock: (address) => `
        const { createLocks } = require(${JSON.stringify(builtEntry('standalone.cjs'))});
        const locks = await createLocks({ connection: ${JSON.stringify(address)} });
        await locks.acquire('start');`,
    },
    [LIMIT]: {
      title: 'ioredis itself, one SET',
      folder: '../node_modules/ioredis',
      loads: 'ioredis',
      after: NEST,
      takesLock: (address) => `${clientOf(address)}
        await client.set('start', '1', 'NX', 'PX', 30000);`,
    },
    redlock4: {
      title: 'redlock 4',
      folder: './node_modules/redlock4',
      loads: 'redlock4',
      after: [...NEST, 'ioredis'],
      takesLock: (address) => `${clientOf(address)}
        const Redlock = require('redlock4');
        await new Redlock([client]).lock('start', 30000);`,
    },
    'redis-semaphore': {
      title: 'redis-semaphore',
      folder: './node_modules/redis-semaphore',
      loads: 'redis-semaphore',
      after: [...NEST, 'ioredis'],
      takesLock: (address) => `${clientOf(address)}
        const { Mutex } = require('redis-semaphore');
        await new Mutex(client, 'start').acquire();`,
    },
  } satisfies Record<string, Start>),
);

const clientOf = (address: Address): string => `
        const { Redis } = require('ioredis');
        const client = new Redis(${JSON.stringify(address)});`;

/** The folder of the benchmark. */
const cwd = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program that prints an object of figures. */
function run(program: string, { node, core }: Launch): Figures {
  const args = ['--expose-gc', '--eval', program];
  const [command, before] = core === undefined ? [node, []] : ['taskset', ['--cpu-list', String(core), node]];
  return JSON.parse(
    execFileSync(command, [...before, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as Figures;
}

const loading = ({ after, loads }: Start): string => `
  ${after.map((name) => `require('${name}');`).join('')}
  gc();
  const [heap, start] = [process.memoryUsage().heapUsed, performance.now()];
  require(${JSON.stringify(loads)});
  const load = performance.now() - start;
  gc();
  console.log(JSON.stringify({ load, heap: (process.memoryUsage().heapUsed - heap) / 1e6 }));`;

const locking = ({ takesLock }: Start, address: Address): string => `
  const start = performance.now();
  (async () => {${takesLock(address)}
    console.log(JSON.stringify({ toLock: performance.now() - start, rss: process.memoryUsage().rss / 1e6 }));
    process.exit();
  })();`;

/** What npm would publish from a folder. */
function packageSize(folder: string): Figures {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', folder];
  const [found] = JSON.parse(
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as [{ readonly size: number; readonly unpackedSize: number; readonly entryCount: number }];
  return { packed: found.size / BYTES_PER_KB, unpacked: found.unpackedSize / BYTES_PER_KB, files: found.entryCount };
}

function medians(rounds: readonly Figures[]): Figures {
  const keys = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(keys.map((key) => [key, median(rounds.map((round) => round[key] ?? Number.NaN))]));
}

export const start: Scenario = {
  id: 'start',
  title: 'loading, the first lock, and the size of the package',
  method:
    `Medians of ${STARTS} new processes each. Loaded by require() after Nest and ioredis; ioredis itself after Nest. To ` +
    'the first lock: from nothing loaded to the granted lock, with `createLocks` of nest-redis-lock/standalone. The size ' +
    'is that of `npm pack`.',
  metrics: [
    { key: 'load', title: 'load', unit: 'ms', digits: 1, best: 'lowest' },
    { key: 'heap', title: 'heap', unit: 'MB', digits: 2, best: 'lowest' },
    { key: 'toLock', title: 'to the first lock', unit: 'ms', best: 'lowest' },
    { key: 'rss', title: 'memory then', unit: 'MB', best: 'lowest' },
    { key: 'packed', title: 'packed', unit: 'kB', best: 'lowest' },
    { key: 'unpacked', title: 'unpacked', unit: 'kB', best: 'lowest' },
    { key: 'files', title: 'files', best: 'lowest' },
  ],
  bars: [
    { text: 'load ≤ 40 ms', metric: 'load', atMost: 40 },
    { text: 'heap ≤ 2.2 MB', metric: 'heap', atMost: 2.2 },
    { text: 'first lock over the best peer ≤ 1.3', metric: 'toLock', over: 'best peer', atMost: 1.3 },
    { text: 'memory ≤ 80 MB', metric: 'rss', atMost: 80 },
    { text: '≤ 300 kB packed', metric: 'packed', atMost: 300 },
    { text: '≤ 1,600 kB unpacked', metric: 'unpacked', atMost: 1600 },
    { text: '≤ 120 files', metric: 'files', atMost: 120 },
  ],
  when: 'each-node',
  takesPart: ({ name }) => starts.has(name),
  rowTitle: ({ name, title }) => starts.get(name)?.title ?? title,
  measure: async ({ world, library }) => {
    const begin = starts.get(library.name);
    if (begin === undefined) throw new Error(`No start is known of '${library.name}'`);
    const { host, port } = world.server;
    const rounds: Figures[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      await world.observer.del('start', 'mutex:start');
      rounds.push({ ...run(loading(begin), world.launch), ...run(locking(begin, { host, port }), world.launch) });
    }
    return { ...medians(rounds), ...packageSize(begin.folder) };
  },
};
