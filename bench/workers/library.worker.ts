import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { devNull } from 'node:os';
import type { Address, Held, OpenOptions, OpenLibrary } from '../adapters/adapter.js';
import { connect } from '../adapters/client.js';
import { nodeAdapters } from '../adapters/index.js';
import { serve } from '../../test/servers/worker/worker-host.js';
import { now, NS_PER_MS } from './clock.js';
import { contend } from './contend.js';
import { memoryInUse } from './garbage.js';
import { distinct, pairs } from './pairs.js';
import { Queue } from './queue.js';
import type { LoopDelay, NodeTasks } from './tasks.js';

const [, , name = '', connection = '', options = '{}'] = process.argv;
const address = JSON.parse(connection) as Address;

const ENDLESS_MS = 3_600_000;
const HOLDS_AT_A_TIME = 256;
const LOOP_RESOLUTION_MS = 1;
const CLIENTS_WARM_UP_MS = 300;

const taken = new Map<string, Held>();
const arrivals: number[] = [];
let awaitArrival: ((instant: number) => void) | undefined;

async function loopDelayFor(ms: number): Promise<LoopDelay> {
  const monitor = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  monitor.enable();
  await sleep(ms);
  monitor.disable();
  const beyond = (ns: number): number => Math.max(0, ns / NS_PER_MS - LOOP_RESOLUTION_MS);
  return { p99: beyond(monitor.percentile(99)), max: beyond(monitor.max) };
}

async function apiOf(open: () => Promise<OpenLibrary>): Promise<NodeTasks> {
  const library = await open();
  const clients: OpenLibrary[] = [];
  const client = await connect(address);
  const queue = new Queue(library);
  return {
    pairs: (task) => pairs(library, task),
    distinct: (task) => distinct(library, task),
    contend: (task) => contend(task.ownClients === true ? clientOf : () => library, increment, task),
    openClients: async ({ count }) => {
      if (clients.length >= count) return;
      while (clients.length < count) clients.push(await open());
      await warmUpClients(count);
    },
    cpuTime: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    take: async ({ key }) => {
      taken.set(key, await library.acquire(key, { wait: ENDLESS_MS }));
      return now();
    },
    giveBack: async ({ key }) => {
      const held = taken.get(key);
      if (!held) throw new Error(`${key} is not held here`);
      taken.delete(key);
      const instant = now();
      await held.release();
      return instant;
    },
    queueUp: async ({ key, count }) => queue.add(key, count),
    queued: () => queue.state,
    passOn: ({ count }) => queue.passOn(count),
    hold: async ({ prefix, count }) => {
      const start = now();
      let next = 0;
      const takeSome = async (): Promise<void> => {
        while (next < count) {
          const key = `${prefix}:${next++}`;
          taken.set(key, await library.acquire(key, { wait: ENDLESS_MS }));
        }
      };
      await Promise.all(Array.from({ length: HOLDS_AT_A_TIME }, takeSome));
      return (now() - start) / NS_PER_MS;
    },
    queueUpNames: ({ prefix, count, ms }) => {
      const delay = loopDelayFor(ms);
      for (let index = 0; index < count; index++) queue.add(`${prefix}:${index}`, 1);
      return delay;
    },
    loopDelay: ({ ms }) => loopDelayFor(ms),
    losses: () => library.losses?.() ?? 0,
    memory: memoryInUse,
    listen: async ({ channel }) => {
      const listener = client.duplicate();
      listener.on('message', () => arrived(now()));
      await listener.subscribe(channel);
    },
    publish: async ({ channel }) => {
      const instant = now();
      await client.publish(channel, '0');
      return instant;
    },
    heard: () => nextArrival(),
  };

  /** Makes each client wait once: connections for subscriptions are opened then. */
  async function warmUpClients(count: number): Promise<void> {
    const key = `bench:warm-up:${process.pid}:clients`;
    const start = now();
    const end = start + CLIENTS_WARM_UP_MS * NS_PER_MS;
    await contend(clientOf, increment, {
      key,
      loops: count,
      ownClients: true,
      start,
      end,
      sectionMs: 0,
      file: devNull,
    });
  }

  function clientOf(loop: number): OpenLibrary {
    const own = clients[loop];
    if (own === undefined) throw new Error(`Client ${loop} has not been opened`);
    return own;
  }

  async function increment(key: string): Promise<void> {
    await client.set(key, Number(await client.get(key)) + 1);
  }
}

function arrived(instant: number): void {
  if (awaitArrival === undefined) arrivals.push(instant);
  else awaitArrival(instant);
  awaitArrival = undefined;
}

function nextArrival(): Promise<number> {
  const [instant] = arrivals.splice(0, 1);
  if (instant !== undefined) return Promise.resolve(instant);
  return new Promise((resolve) => {
    awaitArrival = resolve;
  });
}

async function main(): Promise<void> {
  const adapter = nodeAdapters.get(name);
  if (adapter === undefined) throw new Error(`There is no adapter '${name}'`);
  serve(await apiOf(() => adapter.open(address, JSON.parse(options) as OpenOptions)));
}

main().catch((error: unknown) => {
  process.stderr.write(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
