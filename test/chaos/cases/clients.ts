import { setTimeout as sleep } from 'node:timers/promises';
import { LockUnavailableError } from '../../../lib/standalone.js';
import type { Scheduler } from '../../../lib/index.js';
import { systemScheduler } from '../../../lib/time/scheduler.js';
import { Client, openClient } from '../../kit/client.js';
import type { ChaosCase } from '../case.js';
import { overlaps } from '../checkers/exclusion.js';
import { monotonicNow } from '../history/entry.js';
import { LEASE_MS, type ChaosRun } from '../chaos-run.js';

/** A clock that runs at another rate than the machine's. */
const atRate = (rate: number): Scheduler => ({
  now: () => systemScheduler.now() * rate,
  schedule: (ms, task, options) => systemScheduler.schedule(ms / rate, task, options),
});

/** A clock whose wall time jumps by an hour when the test says so. */
const jumpingWall = (): Scheduler & { jump(ms: number): void } => {
  let off = 0;
  return { ...systemScheduler, wallNow: () => Date.now() + off, jump: (ms) => (off += ms) };
};

const openOn = (chaosRun: ChaosRun, clock: Scheduler): Client => {
  const client = openClient(chaosRun.options, { scheduler: clock });
  chaosRun.onEnd(() => client.close());
  return client;
};

/** Takes one lock repeatedly, on each client. Resolves with the number of times that two held it at once. */
const contend = async (clients: readonly Client[], ms: number, lease: number): Promise<number> => {
  const held: { id: string; from: number; to: number }[] = [];
  const end = monotonicNow() + ms;
  let count = 0;
  await Promise.all(
    clients.map(async ({ locks }, index) => {
      while (monotonicNow() < end) {
        const hold = await locks.acquire('clocks', { lease, wait: 10_000 });
        const from = monotonicNow();
        let to = from;
        // The holder never releases. The hold ends by the clocks alone, and these differ.
        while (!hold.signal.aborted) {
          to = monotonicNow();
          await sleep(2);
        }
        held.push({ id: `${index}:${++count}`, from, to });
      }
    }),
  );
  return overlaps(held).length;
};

/** Clocks of clients, and rights that their user lacks. */
export const clientCases: readonly ChaosCase[] = [
  {
    id: 'F34',
    title: 'clocks of clients run 1 % too fast and too slow',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const clients = [atRate(1.01), atRate(0.99), systemScheduler].map((clock) => openOn(chaosRun, clock));
      const found = await contend(clients, 4000 * chaosRun.scale, LEASE_MS);
      chaosRun.expect(found === 0, `I1: ${found} overlaps between clocks within 2 %`);
    },
  },
  {
    id: 'F35',
    title: 'wall clocks of clients jump by an hour',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const walls = [jumpingWall(), jumpingWall()];
      const clients = walls.map((clock) => openOn(chaosRun, clock));
      const jumping = setInterval(() => {
        for (const wall of walls) wall.jump(chaosRun.rng.next() < 0.5 ? 3_600_000 : -3_600_000);
      }, 250);
      const found = await contend(clients, 3000 * chaosRun.scale, LEASE_MS);
      clearInterval(jumping);
      chaosRun.expect(found === 0, `I1: ${found} overlaps where only wall clocks jumped`);
    },
  },
  {
    id: 'F40',
    title: 'the user lacks one of the rights',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      if (!server) throw new Error('There is no server');
      const admin = chaosRun.topology.admin(server);
      for (const command of ['evalsha', 'pexpire', 'hset', 'time', 'subscribe', 'publish']) {
        await admin.call('ACL', 'SETUSER', 'clerk', 'reset', 'on', '>s3cret', '~*', '&*', '+@all', `-${command}`);
        const client = chaosRun.open({
          connection: { host: server.host, port: server.port, username: 'clerk', password: 's3cret' },
        });
        const outcome = await client.locks.tryAcquire('f40').catch((error: unknown) => error);
        const isRefused = outcome instanceof LockUnavailableError;
        // The first call on a connection is EVAL.
        const mayWork = ['evalsha', 'subscribe', 'publish'].includes(command);
        chaosRun.expect(isRefused || mayWork, `without ${command} it was neither refused nor harmless`);
        if (!isRefused && outcome && typeof outcome === 'object' && 'release' in outcome) {
          await (outcome as { release(): Promise<unknown> }).release();
        }
        chaosRun.expect((await admin.pttl('f40')) !== -1, `without ${command} a lock stays without a time to live`);
        await admin.del('f40');
      }
    },
  },
];
