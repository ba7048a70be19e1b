import { setTimeout as sleep } from 'node:timers/promises';
import { hashSlot } from '../../../lib/keys/hash-slot.js';
import { LockUnavailableError } from '../../../lib/standalone.js';
import type { RedisServer } from '../../servers/redis/redis-server.js';
import type { ChaosCase } from '../case.js';
import type { Load } from '../load/load.js';
import { type ClusterOf, isCluster } from '../topologies/cluster.js';
import { masterOf, untilReplaced } from '../topologies/master-of.js';
import { isSentinel } from '../topologies/sentinel.js';
import { permitLoad, usualLoad } from '../usual-load.js';
import { COMMAND_MS, LEASE_MS, type ChaosRun } from '../chaos-run.js';

/** The time in which clients follow to the new master, ms. */
const FOLLOW_MS = 5000;

const clusterOf = ({ topology }: ChaosRun): ClusterOf => {
  if (!isCluster(topology)) throw new Error('This is no cluster');
  return topology;
};

/** All names in one slot, so that one master serves the whole load. */
const oneSlot = (loads: readonly Load[]): readonly Load[] =>
  loads.map((load) => ({ ...load, names: load.names.map((name) => `{chaos}${name}`) }));

const SLOT = hashSlot('{chaos}');

/**
 * Lets masters fail, one after the other. Expects progress after each fail-over, and again after the return of the old
 * master.
 */
const failOvers = async (
  chaosRun: ChaosRun,
  n: number,
  fail: (master: RedisServer) => Promise<() => Promise<void>>,
) => {
  for (let round = 0; round < n * chaosRun.scale; round++) {
    const master = await masterOf(chaosRun.topology, '{chaos}');
    const restore = await fail(master);
    await untilReplaced(chaosRun.topology, '{chaos}', master);
    await chaosRun.progress('I7: after the fail-over', FOLLOW_MS + LEASE_MS);
    await restore();
    await chaosRun.topology.settled();
    await chaosRun.progress('with the old master back', FOLLOW_MS + LEASE_MS);
  }
};

const kill = async (master: RedisServer): Promise<() => Promise<void>> => {
  await master.kill9();
  return () => master.restart();
};

const freeze = async (master: RedisServer): Promise<() => Promise<void>> => {
  master.pause();
  return async () => master.resume();
};

const loadOf = (topology: 'standalone' | 'sentinel' | 'cluster' | 'redlock'): readonly Load[] =>
  topology === 'cluster' ? oneSlot(usualLoad(topology)) : usualLoad(topology);

/** Fail-overs, and moving slots. */
export const topologyCases: readonly ChaosCase[] = [
  {
    id: 'F22',
    title: 'Sentinels unreachable, frozen, and back',
    topologies: ['sentinel'],
    run: async (chaosRun) => {
      const { topology } = chaosRun;
      if (!isSentinel(topology)) throw new Error('There are no Sentinels');
      const [one, two, three] = topology.sentinels.sentinelServers;
      one?.pause();
      await two?.kill9();
      await chaosRun.progress('one Sentinel is enough');
      await three?.kill9();
      await chaosRun.progress('no Sentinel is needed as long as the master is there');
      // A client that starts now finds no Sentinel that answers, and is refused in time.
      const client = chaosRun.open();
      const start = performance.now();
      const error = await client.locks.tryAcquire('f22').catch((refused: unknown) => refused);
      chaosRun.expect(error instanceof LockUnavailableError, 'I3: it was not refused without Sentinels');
      chaosRun.expect(performance.now() - start < COMMAND_MS + 300, 'I3: it was not refused in time');
      one?.resume();
      await two?.restart();
      await three?.restart();
      await chaosRun.until(
        () =>
          client.locks.tryAcquire('f22').then(
            (hold) => hold?.release().then(() => true) ?? false,
            () => false,
          ),
        10_000,
        'the Sentinels are found again',
      );
    },
  },
  {
    id: 'F9',
    title: 'frozen master, fail-over, the old master resumes; with a restart guard',
    topologies: ['sentinel', 'cluster'],
    options: { restartGuard: true },
    overrun: 12_000,
    load: loadOf,
    run: (chaosRun) => failOvers(chaosRun, 1, freeze),
  },
  {
    id: 'F20',
    title: 'master killed, fail-over; with a restart guard',
    topologies: ['sentinel'],
    options: { restartGuard: true },
    overrun: 12_000,
    load: loadOf,
    run: (chaosRun) => failOvers(chaosRun, 1, kill),
  },
  {
    id: 'F20t',
    title: 'TP-05 TP-06 TP-07: the master of Sentinels stops for good, and a replica is added later; loops go on',
    topologies: ['sentinel'],
    losesData: true,
    overrun: 12_000,
    load: () => {
      const names = Array.from({ length: 100 }, (_, n) => `order:${n}`);
      return [
        { kind: 'plain', names, loops: 5, lease: LEASE_MS, wait: 3000, hold: 50, pause: 50 },
        // Waiters come and go, and so do their subscriptions.
        { kind: 'plain', names: ['crowded'], loops: 3, wait: 3000, hold: 100 },
      ];
    },
    run: async (chaosRun) => {
      const { topology } = chaosRun;
      if (!isSentinel(topology)) throw new Error('There are no Sentinels');
      await sleep(1000);
      const master = await topology.sentinels.master();
      await master.kill9();
      await untilReplaced(topology, '{chaos}', master);
      await chaosRun.progress('I7: after the fail-over', FOLLOW_MS);
      await topology.sentinels.addReplica();
      await sleep(1500);
      await chaosRun.progress('with a new replica');
    },
  },
  {
    id: 'F23',
    title: 'cluster master killed, others unaffected; with a restart guard',
    topologies: ['cluster'],
    options: { restartGuard: true },
    overrun: 12_000,
    load: loadOf,
    run: async (chaosRun) => {
      const cluster = clusterOf(chaosRun);
      const { locks } = chaosRun.open({ restartGuard: false });
      const elsewhere = await other(cluster);
      let worst = 0;
      const stop = new AbortController();
      const loop = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          const start = performance.now();
          await locks.withLock(elsewhere, { wait: 5000 }, () => {});
          worst = Math.max(worst, performance.now() - start);
          await sleep(5);
        }
      };
      const unaffected = loop();
      await failOvers(chaosRun, 1, kill);
      stop.abort();
      await unaffected;
      chaosRun.expect(worst < 1500, `a lock of another master took ${Math.round(worst)} ms`);
    },
  },
  {
    id: 'F21',
    title: 'fail-over without a guard and without asking replicas: tokens rise all the same',
    topologies: ['cluster'],
    losesData: true,
    overrun: 12_000,
    load: loadOf,
    run: async (chaosRun) => {
      const { cluster } = clusterOf(chaosRun);
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        await cluster.failOver(await cluster.ownerOfSlot(SLOT), 'TAKEOVER');
        await cluster.settled();
        await chaosRun.progress('after the take-over', FOLLOW_MS);
      }
    },
  },
  {
    id: 'F24',
    title: 'slots move under load, all kinds',
    topologies: ['cluster'],
    load: (topology) => [...oneSlot(usualLoad(topology)), ...oneSlot(permitLoad())],
    run: async (chaosRun) => {
      const { cluster } = clusterOf(chaosRun);
      for (let round = 0; round < 8 * chaosRun.scale; round++) {
        const owner = await cluster.ownerOfSlot(SLOT);
        const to = chaosRun.rng.pick(cluster.masters.filter((server) => server !== owner));
        const from = await cluster.beginMigration(SLOT, to);
        await sleep(chaosRun.rng.between(0, 200));
        await cluster.migrateKeys(SLOT, from, to);
        await sleep(chaosRun.rng.between(0, 100));
        await cluster.migrateKeys(SLOT, from, to);
        await cluster.finishMigration(SLOT, to);
        await sleep(100);
      }
      await chaosRun.progress('after the moves');
    },
  },
  {
    id: 'F25',
    title: 'a storm of redirections',
    topologies: ['cluster'],
    load: loadOf,
    run: async (chaosRun) => {
      const { cluster } = clusterOf(chaosRun);
      for (let round = 0; round < 20 * chaosRun.scale; round++) {
        const owner = await cluster.ownerOfSlot(SLOT);
        await cluster.moveSlot(SLOT, chaosRun.rng.pick(cluster.masters.filter((server) => server !== owner)));
        await sleep(60);
      }
      await chaosRun.progress('after the storm');
    },
  },
  {
    id: 'F26',
    title: 'names with and without hash tags',
    topologies: ['cluster'],
    load: (topology) =>
      usualLoad(topology).map((load) => ({
        ...load,
        names: ['order:7', '{order}:7', 'a{b}c', 'x{y}{z}', 'Größe:鍵'].map(
          (name) => `${load.kind === 'read' ? 'write' : load.kind}:${name}`,
        ),
      })),
    run: () => sleep(2500),
  },
];

/** A name that is served by another master than the load. */
const other = async ({ cluster }: ClusterOf): Promise<string> => {
  const owner = await cluster.ownerOfSlot(SLOT);
  for (let n = 0; ; n++) {
    const name = `elsewhere:${n}`;
    if ((await cluster.ownerOf(name)) !== owner) return name;
  }
};
