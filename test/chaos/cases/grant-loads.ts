import { setTimeout as sleep } from 'node:timers/promises';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { ChaosCase } from '../case.js';
import { COMMAND_MS, LEASE_MS, POLL_MS } from '../chaos-run.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import { onlyServer } from '../only-server.js';
import { isCluster } from '../topologies/cluster.js';
import { isSentinel } from '../topologies/sentinel.js';
import { GRANT_LEASE_MS, grantLoad } from '../usual-load.js';
import { holderOf } from '../waiting-clients.js';

/**
 * The longest time for which a lost message, or a client that had waited for longer than 100 ms when it died, may keep a
 * lock from the others: a first lease and a poll, ms.
 */
const ONE_CLIENT_MS = 3 * COMMAND_MS + POLL_MS + COMMAND_MS;
const SLOT_NAMES = ['{chaos}order:1', '{chaos}order:2'];

/** Faults while plain locks pass from process to process all the time. */
export const grantLoadCases: readonly ChaosCase[] = [
  {
    id: 'F2g',
    title: 'replies of releases and of requests to wait are lost while locks pass on',
    topologies: ['standalone'],
    load: () => grantLoad(),
    leastGrants: 30,
    longestHandOver: ONE_CLIENT_MS,
    run: async (chaosRun) => {
      const { proxy } = onlyServer(chaosRun);
      const { lock } = scripts;
      for (let round = 0; round < 12 * chaosRun.scale; round++) {
        const cut = proxy.cutAfter(runs(...(round % 2 === 0 ? [lock.release] : [lock.wait, lock.withdraw])));
        await Promise.race([cut, sleep(1000)]);
        await sleep(chaosRun.rng.between(20, 120));
      }
    },
  },
  {
    id: 'F12g',
    title: 'subscribers are cut again and again while locks pass on',
    topologies: ['standalone', 'cluster'],
    load: () => grantLoad(),
    leastGrants: 20,
    longestHandOver: ONE_CLIENT_MS,
    run: async (chaosRun) => {
      for (let round = 0; round < 12 * chaosRun.scale; round++) {
        for (const server of await chaosRun.topology.masters()) {
          await chaosRun.topology.admin(server).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        }
        await sleep(chaosRun.rng.between(50, 300));
      }
      await chaosRun.progress('after the cuts');
    },
  },
  {
    id: 'F30g',
    title: 'a process is given a lock while it is frozen, past the lease that it is given',
    topologies: ['standalone'],
    load: () => grantLoad(['order:1'], LEASE_MS),
    leastGrants: 20,
    run: async (chaosRun) => {
      const { admin } = onlyServer(chaosRun);
      const clients = await Promise.all([0, 1, 2].map((index) => chaosRun.clientOf(index)));
      const isHolder = async (index: number): Promise<boolean> =>
        (await holderOf(admin, 'order:1'))?.startsWith(clients[index] ?? '') ?? false;
      let frozen = 0;
      for (let round = 0; frozen < 3 * chaosRun.scale && round < 30; round++) {
        const index = round % 3;
        chaosRun.pauseProcess(index);
        // Frozen while it waits, it is given the lock after that.
        if (!(await isHolder(index)) && (await chaosRun.until(() => isHolder(index), 2000, 'it is given the lock'))) {
          frozen += 1;
          await sleep(chaosRun.rng.between(0.9, 1.3) * Math.max(0, await admin.pttl('order:1')));
        }
        chaosRun.resumeProcess(index);
        await sleep(100);
      }
      chaosRun.expect(frozen > 0, 'no process was frozen while it waited');
      await chaosRun.progress('after the freezes');
    },
  },
  {
    id: 'F31w',
    title: 'processes that wait, hold, or are being given a lock are killed',
    topologies: ['standalone', 'cluster'],
    load: () => grantLoad(),
    leastGrants: 30,
    run: async (chaosRun) => {
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        await sleep(chaosRun.rng.between(50, 150));
        await chaosRun.killProcess(round);
        // Without a watchdog, a dead holder keeps the lock for its lease; by then every loop may wait for that lock.
        await chaosRun.progress('the others go on', GRANT_LEASE_MS + ONE_CLIENT_MS);
        await chaosRun.spawn();
      }
    },
  },
  {
    id: 'F11g',
    title: 'kill -9 while locks pass on, and restart with an append-only file that is always written',
    topologies: ['standalone'],
    serverArgs: ['--appendonly', 'yes', '--appendfsync', 'always'],
    load: () => grantLoad(),
    overrun: 2000,
    leastGrants: 20,
    run: async (chaosRun) => {
      const { server } = onlyServer(chaosRun);
      for (let round = 0; round < 4 * chaosRun.scale; round++) {
        await sleep(chaosRun.rng.between(50, 250));
        await server.restart();
        await chaosRun.progress('I7: after the restart', 5000);
      }
    },
  },
  {
    id: 'F10w',
    title: 'kill -9 while locks pass on, and restart empty, with a restart guard',
    topologies: ['standalone'],
    options: { restartGuard: true },
    load: () => grantLoad(),
    overrun: 2000,
    leastGrants: 5,
    run: async (chaosRun) => {
      const { server } = onlyServer(chaosRun);
      for (let round = 0; round < 2 * chaosRun.scale; round++) {
        await server.restart();
        await chaosRun.progress('I7: after the guard', 4 * LEASE_MS + 4000);
        // Locks pass on again.
        await sleep(500);
      }
    },
  },
  {
    id: 'F20g',
    title: 'a replica of Sentinels takes over while clients wait; with a restart guard',
    topologies: ['sentinel'],
    options: { restartGuard: true },
    load: () => grantLoad(),
    overrun: 12_000,
    leastGrants: 30,
    run: async (chaosRun) => {
      const { topology } = chaosRun;
      if (!isSentinel(topology)) throw new Error('There are no Sentinels');
      await sleep(500);
      const master = await topology.sentinels.master();
      await master.kill9();
      await topology.sentinels.waitForFailOver(master);
      await chaosRun.progress('I7: after the fail-over', 5000 + 5000);
      await sleep(500);
    },
  },
  {
    id: 'F24g',
    title: 'slots move while clients wait, with sharded channels',
    topologies: ['cluster'],
    load: () => grantLoad(SLOT_NAMES),
    leastGrants: 20,
    longestHandOver: ONE_CLIENT_MS,
    run: async (chaosRun) => {
      const { topology } = chaosRun;
      if (!isCluster(topology)) throw new Error('This is no cluster');
      const { cluster } = topology;
      const slot = hashSlot('{chaos}');
      for (let round = 0; round < 5 * chaosRun.scale; round++) {
        const owner = await cluster.ownerOfSlot(slot);
        const to = chaosRun.rng.pick(cluster.masters.filter((server) => server !== owner));
        await cluster.moveSlot(slot, to, { betweenSteps: () => sleep(chaosRun.rng.between(0, 200)) });
        await sleep(chaosRun.rng.between(50, 250));
      }
      await chaosRun.progress('after the moves');
    },
  },
  {
    id: 'F49',
    title: 'a client that waits as Redisson does, among clients of ours',
    topologies: ['standalone'],
    load: () => grantLoad(['order:1']),
    leastGrants: 30,
    run: async (chaosRun) => {
      // It pauses, so that locks pass on in between.
      await chaosRun.spawn([
        { kind: 'redisson', names: ['order:1'], loops: 1, wait: 8000, hold: 20, lease: 5000, pause: 50 },
      ]);
      for (let round = 0; round < 5 * chaosRun.scale; round++) {
        await chaosRun.progress('Redisson gets its turn, and so do the others', 2000);
      }
    },
  },
];
