import { setTimeout as sleep } from 'node:timers/promises';
import { LockAbortedError, LockError, LockQueueFullError } from '../../../lib/standalone.js';
import type { ChaosCase } from '../case.js';
import type { Load } from '../load/load.js';
import { keysOf } from '../topologies/topology.js';
import { ownedPermitLoad, usualLoad } from '../usual-load.js';
import { LEASE_MS, POLL_MS } from '../chaos-run.js';

const fairLoad = (): readonly Load[] => [{ kind: 'fair', names: ['fair:1'], loops: 4, wait: 15_000, hold: 10 }];

/** The lease of the permits that must outlast it, ms: their renewals bear a stall of over two seconds. */
const KEPT_LEASE_MS = 4000;

/** Processes that stall, die or are ended. */
export const processCases: readonly ChaosCase[] = [
  {
    id: 'F29',
    title: 'a holder stalls for twice its lease: event loop busy, process stopped',
    topologies: ['standalone', 'sentinel', 'cluster', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 2 * chaosRun.scale; round++) {
        await chaosRun.blockProcess(0, 2 * LEASE_MS);
        chaosRun.pauseProcess(1);
        await sleep(2 * LEASE_MS);
        chaosRun.resumeProcess(1);
        await chaosRun.progress('after the stalls');
      }
    },
  },
  {
    id: 'F30',
    title: 'stalls while waiting and acquiring',
    topologies: ['standalone'],
    load: (topology) => usualLoad(topology).map((load) => ({ ...load, hold: 2, loops: load.loops + 2 })),
    run: async (chaosRun) => {
      for (let round = 0; round < 6 * chaosRun.scale; round++) {
        const process = round % 3;
        chaosRun.pauseProcess(process);
        await sleep(chaosRun.rng.between(100, 1200));
        chaosRun.resumeProcess(process);
        await sleep(100);
      }
      await chaosRun.progress('after the stalls');
    },
  },
  {
    id: 'F31',
    title: 'a holder is killed',
    topologies: ['standalone', 'sentinel', 'cluster', 'redlock'],
    run: async (chaosRun) => {
      for (let round = 0; round < 2 * chaosRun.scale; round++) {
        await chaosRun.killProcess(round);
        await chaosRun.progress('the next one comes', LEASE_MS + POLL_MS + 3000);
        await chaosRun.spawn();
      }
    },
  },
  {
    id: 'F31l',
    title: 'processes with permits of a limit, or with permits that are renewed, are killed',
    topologies: ['standalone', 'sentinel', 'cluster'],
    load: ownedPermitLoad,
    run: async (chaosRun) => {
      const { locks } = chaosRun.open({ renewedLease: KEPT_LEASE_MS });
      const kept = locks.getPermitExpirableSemaphore('semaphore:permits:kept');
      await kept.trySetPermits(1);
      const permit = await kept.acquire({ renew: true });
      const pastLease = sleep(1.5 * KEPT_LEASE_MS);
      const limited = locks.withLock('limit:kept', { limit: 1 }, async ({ signal }) => {
        await pastLease;
        return !signal.aborted;
      });
      for (let round = 0; round < 3 * chaosRun.scale; round++) {
        await sleep(chaosRun.rng.between(100, LEASE_MS));
        await chaosRun.killProcess(round);
        await chaosRun.progress('the permits come back', 3 * LEASE_MS + POLL_MS + 3000);
        await chaosRun.spawn();
      }
      chaosRun.expect(await limited, 'the permit of a limit was lost although it is renewed');
      chaosRun.expect(!permit.signal.aborted, 'a permit was lost although it is renewed');
      await kept.tryRelease(permit);
    },
  },
  {
    id: 'F32',
    title: 'many waiters of a fair queue die',
    topologies: ['standalone', 'cluster'],
    load: fairLoad,
    processes: 4,
    run: async (chaosRun) => {
      const before = chaosRun.processCount;
      const crowd: Load = { kind: 'fair', names: ['fair:1'], loops: 50, wait: 15_000, hold: 10 };
      const dying = await chaosRun.spawn([crowd]);
      await sleep(500);
      await chaosRun.killProcess(dying);
      chaosRun.expect(dying === before, 'the wrong process died');
      // Each place of a killed waiter ends by itself, but only the first one delays the waiters behind it.
      await chaosRun.progress('I10: the living are served', 1500 + LEASE_MS + 3000);
    },
  },
  {
    id: 'F32o',
    title: 'first come, first served, with nothing amiss',
    topologies: ['standalone', 'cluster'],
    load: fairLoad,
    isInOrder: true,
    run: () => sleep(2000),
  },
  {
    id: 'F43',
    title: 'shutdown while holding and waiting, with the server gone',
    topologies: ['standalone'],
    // The waiter could not withdraw. It does not listen any more, so that nothing is given to it.
    mayLeave: /:waiters$/,
    load: () => [],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      const [holder, waiter] = [chaosRun.open(), chaosRun.open()];
      const hold = await holder.locks.acquire('f43', { lease: 1000 });
      const waiting = waiter.locks.acquire('f43', { wait: 30_000 }).catch((error: unknown) => error);
      await sleep(200);
      server?.pause();
      const start = performance.now();
      await Promise.all([waiter.close(), holder.close()]);
      chaosRun.expect(performance.now() - start < 2000, 'I14: a shutdown took longer than 2 s');
      chaosRun.expect((await waiting) instanceof LockError, 'a waiter was not sent away');
      server?.resume();
      chaosRun.expect(
        !hold.signal.aborted || hold.signal.reason instanceof LockError,
        'a holder was told something odd',
      );
    },
  },
  {
    id: 'F44',
    title: 'aborted at every moment of an acquisition',
    topologies: ['standalone', 'cluster', 'redlock'],
    load: () => [],
    run: async (chaosRun) => {
      const client = chaosRun.open();
      const isRedlock = chaosRun.topology.name === 'redlock';
      for (let round = 0; round < 60 * chaosRun.scale; round++) {
        const kinds = isRedlock
          ? [client.locks.getRedLock('f44')]
          : [client.locks.getLock('f44'), client.locks.getFairLock('f44'), client.locks.getFencedLock('f44')];
        const holder = await chaosRun.rng.pick(kinds).acquire({ lease: 500 });
        const abort = new AbortController();
        const waiting = kinds.map((lock) =>
          lock.acquire({ wait: 5000, signal: abort.signal }).then(
            (hold) => hold.release(),
            (error: unknown) => error,
          ),
        );
        await sleep(chaosRun.rng.between(0, 8));
        abort.abort();
        const released = holder.release();
        for (const outcome of await Promise.all(waiting)) {
          const fine = outcome === 'released' || outcome instanceof LockAbortedError;
          chaosRun.expect(fine, `an aborted wait came to ${String(outcome)}`);
        }
        await released;
      }
      const left = async () =>
        (await keysOf(chaosRun.topology)).filter(({ key }) => !key.startsWith('redisson_lock_token'));
      await chaosRun.until(async () => (await left()).length === 0, 2000, 'I5: nothing stays');
    },
  },
  {
    id: 'F45',
    title: 'callbacks and listeners that throw or never end',
    topologies: ['standalone'],
    run: async (chaosRun) => {
      const { locks, runtime } = chaosRun.open();
      runtime.events.on(() => {
        throw new Error('a listener throws');
      });
      for (let round = 0; round < 10; round++) {
        const thrown = await locks.withLock('f45', () => Promise.reject(new Error('work'))).catch(String);
        chaosRun.expect(thrown === 'Error: work', `the error of the work was ${thrown}`);
        const hold = await locks.acquire('f45', { lease: 100 });
        hold.signal.addEventListener('abort', () => {
          setImmediate(() => {});
        });
        await chaosRun.until(() => hold.signal.aborted, 400, 'the holder is told');
      }
      void locks.withLock('f45:endless', { lease: 300 }, () => new Promise(() => {}));
      await sleep(400);
      chaosRun.expect(
        (await locks.tryAcquire('f45:endless')) !== null,
        'work without end keeps its lock beyond its lease',
      );
    },
  },
  {
    id: 'F46',
    title: '10,000 names, 5,000 waiters, names of 64 KB',
    topologies: ['standalone'],
    load: () => [],
    options: { commandTimeout: 2000, maxQueue: 5000 },
    run: async (chaosRun) => {
      const { locks, runtime } = chaosRun.open();
      for (let batch = 0; batch < 20; batch++) {
        const names = Array.from({ length: 500 }, (_, n) => `name:${batch}:${n}`);
        await Promise.all(names.map((name) => locks.withLock(name, () => {})));
      }
      const hold = await locks.acquire('crowd');
      const stop = new AbortController();
      const waiting = Array.from({ length: 5000 }, () =>
        locks.acquire('crowd', { wait: 60_000, signal: stop.signal }).catch((error: unknown) => error),
      );
      const full = await locks.acquire('crowd', { wait: 60_000 }).catch((error: unknown) => error);
      chaosRun.expect(full instanceof LockQueueFullError, 'a queue beyond its limit was joined');
      const long = await locks.acquire('x'.repeat(65_536)).catch((error: unknown) => error);
      chaosRun.expect(long instanceof LockError, 'a name of 64 KB was taken');
      stop.abort();
      await Promise.all(waiting);
      await hold.release();
      const contended = () => Object.values(runtime.kinds).reduce((sum, kind) => sum + kind.acquirer.contended, 0);
      await chaosRun.until(() => contended() === 0, 2000, 'I11: no name is waited for any more');
      chaosRun.expect(runtime.grants.size === 0, 'I11: something is still held');
      await chaosRun.until(async () => (await keysOf(chaosRun.topology)).length === 0, 2000, 'I11: no key stays');
    },
  },
];
