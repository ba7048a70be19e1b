import { setTimeout as sleep } from 'node:timers/promises';
import { LockUnavailableError } from '../../../lib/standalone.js';
import type { RedisServer } from '../../servers/redis/redis-server.js';
import type { ChaosCase } from '../case.js';
import { usualLoad } from '../usual-load.js';
import { COMMAND_MS, LEASE_MS, type ChaosRun } from '../chaos-run.js';

const onlyServer = (chaosRun: ChaosRun): RedisServer => {
  const [server] = chaosRun.topology.servers;
  if (!server) throw new Error('There is no server');
  return server;
};

/** A client without a hold gets its answer in time, whatever the server does. */
const settlesInTime = async (chaosRun: ChaosRun, what: string): Promise<void> => {
  const client = chaosRun.open();
  const start = performance.now();
  await client.locks.tryAcquire('in time').then(
    (hold) => hold?.release(),
    () => {},
  );
  const ms = performance.now() - start;
  chaosRun.expect(ms < 2 * COMMAND_MS + 400, `I3: ${what}: an answer took ${Math.round(ms)} ms`);
};

const rounds = async (chaosRun: ChaosRun, n: number, round: () => Promise<void>): Promise<void> => {
  for (let done = 0; done < n * chaosRun.scale; done++) await round();
};

/** Servers that freeze, crash, refuse or forget. */
export const serverCases: readonly ChaosCase[] = [
  {
    id: 'F8',
    title: 'server frozen for 200 ms to three leases',
    topologies: ['standalone', 'redlock'],
    overrun: 2000,
    run: async (chaosRun) => {
      await rounds(chaosRun, 1, async () => {
        for (const ms of [200, 600, LEASE_MS, 3 * LEASE_MS]) {
          const server = chaosRun.rng.pick(chaosRun.topology.servers);
          server.pause();
          chaosRun.note(`frozen for ${ms} ms`);
          await sleep(ms);
          server.resume();
          await chaosRun.progress('I7: after the freeze', 5000);
        }
      });
    },
  },
  {
    id: 'F10',
    title: 'kill -9 and restart empty, with a restart guard',
    topologies: ['standalone', 'redlock'],
    options: { restartGuard: true },
    overrun: 2000,
    run: (chaosRun) =>
      rounds(chaosRun, 3, async () => {
        const server = chaosRun.rng.pick(chaosRun.topology.servers);
        await server.restart();
        chaosRun.note('restarted empty');
        await chaosRun.progress('I7: after the guard', 4 * LEASE_MS + 4000);
      }),
  },
  {
    id: 'F10n',
    title: 'kill -9 and restart empty, without a guard: tokens rise all the same',
    topologies: ['standalone'],
    losesData: true,
    overrun: 2000,
    run: (chaosRun) =>
      rounds(chaosRun, 5, async () => {
        await onlyServer(chaosRun).restart();
        await chaosRun.progress('I7: after the restart', 5000);
      }),
  },
  {
    id: 'F11',
    title: 'kill -9 and restart with an append-only file that is always written',
    topologies: ['standalone'],
    serverArgs: ['--appendonly', 'yes', '--appendfsync', 'always'],
    overrun: 2000,
    run: (chaosRun) =>
      rounds(chaosRun, 4, async () => {
        await onlyServer(chaosRun).restart();
        await chaosRun.progress('I7: after the restart', 5000);
      }),
  },
  {
    id: 'F13',
    title: 'CLIENT PAUSE of writes, and of everything',
    topologies: ['standalone'],
    overrun: 2000,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(onlyServer(chaosRun));
      for (const mode of ['WRITE', 'ALL']) {
        await admin.call('CLIENT', 'PAUSE', 1500, mode);
        await settlesInTime(chaosRun, `paused ${mode}`);
        await sleep(1500);
        await chaosRun.progress('after the pause');
      }
    },
  },
  {
    id: 'F14',
    title: 'DEBUG SLEEP',
    topologies: ['standalone'],
    overrun: 2000,
    run: async (chaosRun) => {
      const asleep = chaosRun.topology.admin(onlyServer(chaosRun)).call('DEBUG', 'SLEEP', 2);
      await settlesInTime(chaosRun, 'asleep');
      await asleep;
      await chaosRun.progress('after the sleep');
    },
  },
  {
    id: 'F15',
    title: 'SCRIPT FLUSH every 50 ms',
    topologies: ['standalone', 'sentinel', 'cluster', 'redlock'],
    run: (chaosRun) =>
      rounds(chaosRun, 40, async () => {
        for (const server of await chaosRun.topology.masters()) await chaosRun.topology.admin(server).script('FLUSH');
        await sleep(50);
      }),
  },
  {
    id: 'F16',
    title: 'another script keeps the server busy, and is killed',
    topologies: ['standalone'],
    serverArgs: ['--busy-reply-threshold', '100'],
    overrun: 2500,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(onlyServer(chaosRun));
      const endless = admin.duplicate();
      endless.on('error', () => {});
      const busy = endless.eval('while true do end', 0).catch(() => {});
      await sleep(300);
      await settlesInTime(chaosRun, 'busy');
      await sleep(1000);
      await admin.script('KILL');
      await busy;
      endless.disconnect();
      await chaosRun.progress('after the script');
    },
  },
  {
    id: 'F17',
    title: 'out of memory',
    topologies: ['standalone'],
    overrun: 2500,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(onlyServer(chaosRun));
      const client = chaosRun.open();
      const hold = await client.locks.acquire('f17');
      await admin.config('SET', 'maxmemory', '1');
      const error = await client.locks.tryAcquire('f17:other').catch((refused: unknown) => refused);
      chaosRun.expect(error instanceof LockUnavailableError, 'an acquisition was not refused for lack of memory');
      await sleep(LEASE_MS);
      chaosRun.expect(!hold.signal.aborted, 'what is held was not renewed at out of memory');
      chaosRun.expect((await hold.release()) === 'released', 'what is held could not be released at out of memory');
      await admin.config('SET', 'maxmemory', '0');
      await chaosRun.progress('with memory again');
    },
  },
  {
    id: 'F18',
    title: 'eviction of locks',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(onlyServer(chaosRun));
      const client = chaosRun.open();
      const hold = await client.locks.acquire('f18');
      await admin.config('SET', 'maxmemory-policy', 'volatile-ttl');
      await admin.config('SET', 'maxmemory', '1');
      await admin.set('anything', 'x').catch(() => {});
      chaosRun.expect((await admin.exists('f18')) === 0, 'the server has not evicted the lock');
      await chaosRun.until(() => hold.signal.aborted, LEASE_MS / 3 + 2 * COMMAND_MS + 200, 'the holder is told');
      await admin.config('SET', 'maxmemory', '0');
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
    },
  },
  {
    id: 'F19',
    title: 'the server becomes a replica under a live connection, and a master again',
    topologies: ['standalone'],
    losesData: true,
    overrun: 2500,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(onlyServer(chaosRun));
      await admin.replicaof('127.0.0.1', '1');
      const client = chaosRun.open();
      const error = await client.locks.tryAcquire('f19').catch((refused: unknown) => refused);
      chaosRun.expect(error instanceof LockUnavailableError, 'a replica granted a lock');
      await sleep(800);
      await admin.replicaof('NO', 'ONE');
      await chaosRun.progress('as a master again');
    },
  },
  {
    id: 'F47',
    title: 'FLUSHALL, DEL and another type in place of a lock',
    topologies: ['standalone', 'cluster'],
    losesData: true,
    mayLeave: /^order:3$/,
    load: (topology) => usualLoad(topology).filter(({ kind }) => kind !== 'fair'),
    run: async (chaosRun) => {
      await rounds(chaosRun, 5, async () => {
        const client = chaosRun.open();
        const hold = await client.locks.acquire('f47');
        const leased = await client.locks.acquire('f47:leased', { lease: 10 * LEASE_MS });
        for (const server of await chaosRun.topology.masters()) await chaosRun.topology.admin(server).flushall();
        const limit = LEASE_MS / 3 + 2 * COMMAND_MS + 200;
        await chaosRun.until(() => hold.signal.aborted && leased.signal.aborted, limit, 'the holders are told');
      });
      await chaosRun.progress('after the flushes');
    },
  },
];
