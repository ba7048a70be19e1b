import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import type { Script } from '../../../lib/backend/scripts/script.js';
import type { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import type { ChaosCase } from '../case.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import { permitLoad, usualLoad } from '../usual-load.js';
import { type ChaosRun, LEASE_MS } from '../chaos-run.js';

const proxyOf = (chaosRun: ChaosRun): FaultProxy => chaosRun.rng.pick(chaosRun.topology.proxies);

/** Loses `n` replies of these scripts, one after the other, after their execution. */
const loseReplies = async (chaosRun: ChaosRun, n: number, ...lost: readonly Script[]): Promise<void> => {
  await untilSeen(chaosRun, n * chaosRun.scale, (proxy) => proxy.cutAfter(runs(...lost)));
};

/** Arms a fault in up to `2 * n` rounds, until it has happened `n` times. Fails if it never happens. */
const untilSeen = async (chaosRun: ChaosRun, n: number, arm: (proxy: FaultProxy) => Promise<void>): Promise<void> => {
  const seen: number[] = [];
  for (let round = 0; round < 2 * n; round++) {
    if (seen.length >= n) return;
    const fault = arm(proxyOf(chaosRun)).then(() => {
      seen.push(round);
      chaosRun.note('it happened');
    });
    await Promise.race([fault, sleep(1000)]);
    await sleep(chaosRun.rng.between(20, 120));
  }
  chaosRun.expect(seen.length > 0, 'the fault never happened');
};

/** Requests and replies that are lost, late, or duplicated. */
export const replyCases: readonly ChaosCase[] = [
  {
    id: 'F1',
    title: 'reply of an acquisition lost',
    topologies: ['standalone', 'redlock'],
    run: (chaosRun) =>
      loseReplies(
        chaosRun,
        15,
        scripts.lock.acquire,
        scripts.fencedLock.acquire,
        scripts.readLock.acquire,
        scripts.writeLock.acquire,
      ),
  },
  {
    id: 'F2',
    title: 'reply of a release lost',
    topologies: ['standalone', 'redlock'],
    run: (chaosRun) =>
      loseReplies(
        chaosRun,
        15,
        scripts.lock.release,
        scripts.fairLock.release,
        scripts.readLock.release,
        scripts.writeLock.release,
      ),
  },
  {
    id: 'F3',
    title: 'reply of a renewal lost',
    topologies: ['standalone', 'redlock'],
    load: (topology) => [
      {
        kind: topology === 'redlock' ? 'redlock' : 'plain',
        names: ['order:1', 'order:2'],
        loops: 2,
        wait: 8000,
        hold: 1500,
      },
    ],
    run: (chaosRun) => loseReplies(chaosRun, 6, scripts.lock.renew),
  },
  {
    id: 'F4',
    title: 'reply lost for semaphores, permits and the fair queue',
    topologies: ['standalone'],
    load: (topology) => [...permitLoad(), ...usualLoad(topology).filter(({ kind }) => kind === 'fair')],
    run: async (chaosRun) => {
      const { semaphore, permits, fairLock } = scripts;
      await loseReplies(chaosRun, 8, semaphore.take, semaphore.release, permits.acquire, permits.release);
      await loseReplies(chaosRun, 5, fairLock.queue, fairLock.acquire, fairLock.leave);
      const { locks } = chaosRun.open();
      const all = async (): Promise<boolean> => {
        const free = await locks.getSemaphore('semaphore:1').availablePermits();
        return free >= 0 && free <= 2;
      };
      chaosRun.expect(await all(), 'I9: there are more permits than there were, or fewer than none');
      const latch = locks.getCountDownLatch('f4:latch');
      await latch.trySetCount(3);
      const cut = proxyOf(chaosRun).cutAfter(runs(scripts.counter.countDown));
      await latch.countDown().catch(() => {});
      await cut;
      await chaosRun.until(async () => (await latch.getCount()) === 2, 2000, 'I12: a count-down counts once');
      await latch.delete();
    },
  },
  {
    id: 'F5',
    title: 'request cut before it arrives',
    topologies: ['standalone', 'redlock'],
    run: (chaosRun) => {
      const { lock, fairLock } = scripts;
      return untilSeen(chaosRun, 15 * chaosRun.scale, (proxy) =>
        proxy.cutBefore(runs(lock.acquire, lock.release, fairLock.queue)),
      );
    },
  },
  {
    id: 'F6',
    title: 'all connections reset while many wait',
    topologies: ['standalone', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 8 * chaosRun.scale; round++) {
        for (const proxy of chaosRun.topology.proxies) proxy.cutAll();
        await sleep(chaosRun.rng.between(100, 400));
      }
      await chaosRun.progress('after the cuts');
    },
  },
  {
    id: 'F7',
    title: 'request arrives after its sender gave up',
    topologies: ['standalone', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        const proxy = proxyOf(chaosRun);
        proxy.hold('request');
        await sleep(900);
        proxy.heal();
        await sleep(500);
      }
      await chaosRun.progress('after the delays');
    },
  },
  {
    id: 'F27',
    title: 'partition that TCP survives, half a lease to twice a lease',
    topologies: ['standalone'],
    overrun: 1500,
    run: async (chaosRun) => {
      for (const ms of [750, 1500, 3000]) {
        const proxy = proxyOf(chaosRun);
        proxy.hold();
        chaosRun.note(`partition for ${ms} ms`);
        await sleep(ms);
        proxy.heal();
        await chaosRun.progress('I7: after the partition', 5000);
      }
    },
  },
  {
    id: 'F36',
    title: 'delay and jitter both ways',
    topologies: ['standalone', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 12 * chaosRun.scale; round++) {
        for (const proxy of chaosRun.topology.proxies) proxy.delay(chaosRun.rng.between(0, 130));
        await sleep(200);
      }
      for (const proxy of chaosRun.topology.proxies) proxy.heal();
    },
  },
  {
    id: 'F37',
    title: 'requests that arrive twice',
    topologies: ['standalone'],
    run: async (chaosRun) => {
      const seen: Buffer[] = [];
      const wanted = runs(...Object.values(scripts.lock), ...Object.values(scripts.readLock), scripts.fairLock.release);
      const proxy = proxyOf(chaosRun);
      // Never cuts, and only records the commands.
      void proxy.cutBefore((command) => {
        if (wanted(command) && chaosRun.rng.next() < 0.3) seen.push(Buffer.from(command));
        return false;
      });
      const [server] = chaosRun.topology.servers;
      if (!server) throw new Error('There is no server');
      const again = connect({ host: server.host, port: server.port });
      again.on('error', () => {});
      again.resume();
      let copies = 0;
      for (let round = 0; round < 60 * chaosRun.scale; round++) {
        await sleep(chaosRun.rng.between(10, 60));
        for (const command of seen.splice(0)) {
          again.write(command);
          copies += 1;
        }
      }
      again.destroy();
      chaosRun.expect(copies > 20, `only ${copies} requests came twice`);
      // What a copy acquired ends with its lease. An entry that a copy added ends with a release after that, or as late as
      // all entries of clients that are gone.
      await sleep(2 * LEASE_MS);
      await chaosRun.progress('after the copies');
    },
  },
];
