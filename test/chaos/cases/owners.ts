import { setTimeout as sleep } from 'node:timers/promises';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import type { Script } from '../../../lib/backend/scripts/script.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import type { ChaosCase } from '../case.js';
import { type ChaosRun, COMMAND_MS, LEASE_MS } from '../chaos-run.js';
import { holdersChannel } from '../../../lib/keys/redisson-keys.js';
import type { Load } from '../load/load.js';
import { onlyServer } from '../only-server.js';

/** A message, and the question whether it is so, ms. */
const TOLD_MS = 150;
/** The same without the message: code that has its signal is told by a renewal. */
const RENEWED_MS = LEASE_MS / 3 + COMMAND_MS;
const LONG_MS = 60_000;
/** Long enough on a busy machine, and a quarter of the time after which a watchdog asks by itself. */
const SOON_MS = 5000;

/** Callers that take a lock over from one another, and work for longer than a holder may be untold. */
const takeOvers = (): readonly Load[] => [
  { kind: 'replacing', names: ['preview:1', 'preview:2'], loops: 2, wait: 0, hold: 1500, pause: 200 },
];

/** Two persons that have the same lock in every process: a release by one process ends it for all of theirs. */
const owned = (): readonly Load[] => [
  { kind: 'owned', names: ['edit:1'], loops: 3, lease: 5000, wait: 8000, hold: 3000, pause: 50 },
];

const loseReplies = async (chaosRun: ChaosRun, ...lost: readonly Script[]): Promise<void> => {
  const { proxy } = onlyServer(chaosRun);
  for (let round = 0; round < 8 * chaosRun.scale; round++) {
    await Promise.race([proxy.cutAfter(runs(...lost)), sleep(1000)]);
    await sleep(chaosRun.rng.between(100, 500));
  }
  await chaosRun.progress('after the lost replies');
};

/** Locks that newer callers take over, and locks of owners that the application has chosen. */
export const ownerCases: readonly ChaosCase[] = [
  {
    id: 'F1r',
    title: 'replies to callers that take a lock over are lost',
    topologies: ['standalone'],
    load: takeOvers,
    // No renewal would tell a holder in time.
    options: { renewedLease: 6000 },
    untoldFor: COMMAND_MS + TOLD_MS,
    run: (chaosRun) => loseReplies(chaosRun, scripts.fencedLock.replace),
  },
  {
    id: 'F12r',
    title: 'subscribers are cut again and again while callers take a lock over',
    topologies: ['standalone', 'cluster'],
    load: takeOvers,
    untoldFor: RENEWED_MS,
    run: async (chaosRun) => {
      for (let round = 0; round < 12 * chaosRun.scale; round++) {
        for (const server of await chaosRun.topology.masters()) {
          await chaosRun.topology.admin(server).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        }
        await sleep(chaosRun.rng.between(50, 400));
      }
      await chaosRun.progress('after the cuts');
    },
  },
  {
    id: 'F2o',
    title: 'replies to owners that acquire and release their lock in several processes are lost',
    topologies: ['standalone'],
    load: owned,
    // A release whose reply was lost is sent again once the server refuses the first copy.
    untoldFor: COMMAND_MS + TOLD_MS,
    run: (chaosRun) => loseReplies(chaosRun, scripts.lock.acquire, scripts.lock.releaseChosen),
  },
  {
    id: 'F2t',
    title: 'a hold of an owner is told of a release by another process whose reply was lost',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { proxy, admin, url } = onlyServer(chaosRun);
      // Its watchdog would ask a third of this later.
      const there = chaosRun.open({ connection: url, renewedLease: LONG_MS });
      const here = chaosRun.open();
      const [name, owner] = ['f2t', 'user:1'];
      const { signal } = await there.locks.acquire(name, { owner, lease: LONG_MS });
      const channel = holdersChannel(name);
      const isHeard = async (): Promise<boolean> => (await admin.pubsub('NUMSUB', channel))[1] === 1;
      await chaosRun.until(isHeard, SOON_MS, 'its process listens');
      // It has asked once since it listens.
      await sleep(COMMAND_MS);
      const hold = await here.locks.acquire(name, { owner, lease: LONG_MS });
      const cut = proxy.cutAfter(runs(scripts.lock.releaseChosen));
      await hold.release();
      await cut;
      await chaosRun.until(async () => signal.aborted, SOON_MS, 'its signal aborts');
    },
  },
  {
    id: 'F31o',
    title: 'a process is killed while others have locks of the same owners',
    topologies: ['standalone'],
    load: owned,
    untoldFor: 2 * COMMAND_MS + TOLD_MS,
    run: async (chaosRun) => {
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        await sleep(chaosRun.rng.between(300, 900));
        await chaosRun.killProcess(round);
        await chaosRun.spawn();
      }
      await chaosRun.progress('after the deaths');
    },
  },
  {
    id: 'F7o',
    title: 'a release of an owner that arrives late leaves it the lock that it has acquired since',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { proxy, admin, url } = onlyServer(chaosRun);
      const [here, there] = [chaosRun.open(), chaosRun.open({ connection: url })];
      const held = { name: 'f7o', owner: 'user:1' };
      await there.locks.acquire(held.name, { owner: held.owner, lease: LONG_MS });
      await here.locks.extend(held, LONG_MS);
      proxy.hold('request');
      await here.locks.release(held).catch(() => {});
      await there.locks.release(held);
      await there.locks.acquire(held.name, { owner: held.owner, lease: LONG_MS });
      proxy.heal();
      await sleep(3 * COMMAND_MS);
      chaosRun.expect((await admin.exists(held.name)) === 1, 'R4: a late release took effect');
      await there.locks.release(held);
    },
  },
];
