import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { LockService } from '../../../lib/index.js';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import type { ChaosCase } from '../case.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import { COMMAND_MS, POLL_MS } from '../chaos-run.js';
import { onlyServer } from '../only-server.js';

const LONG_MS = 60_000;

const callsOf = async (admin: Redis, command: string): Promise<number> =>
  Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await admin.info('commandstats'))?.[1] ?? 0);

/** Connects and loads the scripts: a script that the server does not know has no effect, even if its reply is lost. */
const warm = (locks: LockService): Promise<void> => locks.withLock('warm', () => {});

/** Cases about one protection each. A case fails without its protection (see `mutations.ts`). */
export const protectionCases: readonly ChaosCase[] = [
  {
    id: 'F1c',
    title: 'an acquisition whose reply was lost is cancelled, long before its lease ends',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { proxy, admin } = onlyServer(chaosRun);
      const { locks } = chaosRun.open();
      await warm(locks);
      const cut = proxy.cutAfter(runs(scripts.lock.acquire));
      await locks.tryAcquire('f1c', { lease: LONG_MS }).catch(() => {});
      await cut;
      await chaosRun.until(
        async () => (await admin.exists('f1c')) === 0,
        2 * COMMAND_MS + 1000,
        'I5: the ghost is gone',
      );
    },
  },
  {
    id: 'F7n',
    title: 'a request that arrives after its sender gave up does nothing',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { proxy, admin } = onlyServer(chaosRun);
      const { locks } = chaosRun.open();
      await warm(locks);
      const before = await callsOf(admin, 'hset');
      proxy.hold('request');
      await locks.tryAcquire('f7n', { lease: LONG_MS }).catch(() => {});
      await sleep(2 * COMMAND_MS);
      proxy.heal();
      await sleep(2 * COMMAND_MS);
      chaosRun.expect((await callsOf(admin, 'hset')) === before, 'R4: a late acquisition took effect');
    },
  },
  {
    id: 'F10v',
    title: 'a holder is told as soon as the server is back that forgot the lock',
    topologies: ['standalone'],
    load: () => [],
    options: { renewedLease: LONG_MS },
    run: async (chaosRun) => {
      const { locks } = chaosRun.open();
      const [watched, leased] = [await locks.acquire('f10v'), await locks.acquire('f10v:2', { lease: LONG_MS })];
      await chaosRun.topology.servers[0]?.restart();
      // Not by the signals: code that has one is told by other ways, too.
      const told = (): boolean => !watched.isHeld && !leased.isHeld;
      await chaosRun.until(told, 3000, 'the holders are told on return');
    },
  },
  {
    id: 'F10g',
    title: 'a server that restarted empty grants nothing while a holder that it forgot may act',
    topologies: ['standalone'],
    load: () => [],
    options: { restartGuard: true },
    run: async (chaosRun) => {
      const { proxy, url } = onlyServer(chaosRun);
      const [one, other] = [chaosRun.open(), chaosRun.open({ connection: url })];
      // The lock is granted when the server has been up for long enough.
      const hold = await one.locks.acquire('f10g', { wait: 10_000 });
      await other.locks.withLock('warm', { wait: 10_000 }, () => {});
      proxy.acceptThenSilent();
      proxy.blackhole();
      await chaosRun.topology.servers[0]?.restart();
      const next = await other.locks.acquire('f10g', { wait: 10_000 });
      chaosRun.expect(hold.signal.aborted, 'I1: two holders after a restart');
      await next.release();
    },
  },
  {
    id: 'F28p',
    title: 'a release that nobody announced is found by the safety poll',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { admin } = onlyServer(chaosRun);
      const { locks } = chaosRun.open();
      await admin.multi().hset('f28p', 'somebody:1', 1).pexpire('f28p', LONG_MS).exec();
      const waiting = locks.acquire('f28p', { wait: 10_000 });
      await chaosRun.until(async () => (await admin.pubsub('CHANNELS')).length > 0, 2000, 'the waiter listens');
      await sleep(200);
      await admin.del('f28p');
      const start = performance.now();
      const hold = await waiting.catch(() => undefined);
      const ms = performance.now() - start;
      chaosRun.expect(
        hold !== undefined && ms < POLL_MS + COMMAND_MS + 300,
        `I8: it took ${Math.round(ms)} ms to be found`,
      );
      await hold?.release();
    },
  },
  {
    id: 'F28s',
    title: 'a release between the first try and the subscription is not missed',
    topologies: ['standalone'],
    load: () => [],
    options: { commandTimeout: 2000, safetyPoll: LONG_MS },
    run: async (chaosRun) => {
      const { proxy, url } = onlyServer(chaosRun);
      const [holder, waiter] = [chaosRun.open({ connection: url }), chaosRun.open()];
      // Opens both connections of the waiter, so that only its requests are slow.
      const first = await holder.locks.acquire('f28s:warm', { lease: LONG_MS });
      const warming = waiter.locks.acquire('f28s:warm', { wait: 10_000, lease: LONG_MS });
      await sleep(500);
      await first.release();
      await (await warming).release();
      const hold = await holder.locks.acquire('f28s', { lease: LONG_MS });
      proxy.delay(60);
      const waiting = waiter.locks.acquire('f28s', { wait: 5000 });
      // The attempt is refused at 60 ms, and the refusal arrives at 120 ms. The subscription begins at 180 ms, and is
      // confirmed at 240 ms.
      await sleep(140);
      await hold.release();
      const start = performance.now();
      const next = await waiting.catch(() => undefined);
      const ms = performance.now() - start;
      // Without another attempt a waiter learns of the release from its poll, 500 ms after its first attempt.
      chaosRun.expect(next !== undefined && ms < 400, `the release was missed for ${Math.round(ms)} ms`);
      proxy.heal();
      await next?.release();
    },
  },
  {
    id: 'F37a',
    title: 're-entering has one effect, however often its request arrives',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { proxy, admin } = onlyServer(chaosRun);
      const { locks } = chaosRun.open();
      const requests: Buffer[] = [];
      void proxy.cutBefore((command) => {
        if (runs(scripts.lock.hold)(command)) requests.push(Buffer.from(command));
        return false;
      });
      const again = admin.duplicate();
      chaosRun.onEnd(async () => again.disconnect());
      await locks.withLock('f37a', async (outer) => {
        await locks.withLock('f37a', async () => {
          const [request] = requests;
          chaosRun.expect(request !== undefined, 'no request was seen');
          // Repeats the request with its original arguments.
          const parts = String(request)
            .split('\r\n')
            .filter((_, index) => index > 0 && index % 2 === 0);
          for (let copy = 0; copy < 3; copy++) await again.call(parts[0] ?? '', ...parts.slice(1));
          const count = await admin.hget('f37a', outer.owner);
          chaosRun.expect(count === '2', `I12: the lock is held ${String(count)} times instead of twice`);
        });
      });
    },
  },
];
