import { setTimeout as sleep } from 'node:timers/promises';
import { LockUnavailableError } from '../../../lib/standalone.js';
import type { ChaosCase } from '../case.js';
import { LEASE_MS } from '../chaos-run.js';

/** The time-out of one node, ms. */
const NODE_MS = 200;

/** Independent masters, some of which fail in different ways. */
export const masterCases: readonly ChaosCase[] = [
  {
    id: 'F42',
    title: 'RedLock: 1, 2, 3 of 5 frozen, killed, slow',
    topologies: ['redlock'],
    overrun: 2500,
    run: async (chaosRun) => {
      const { servers, proxies } = chaosRun.topology;
      for (const how of ['frozen', 'killed', 'slow'] as const) {
        for (const count of [1, 2, 3]) {
          const places = Array.from({ length: count }, (_, index) => (index + Math.floor(chaosRun.rng.next() * 5)) % 5);
          for (const place of new Set(places)) {
            if (how === 'frozen') servers[place]?.pause();
            if (how === 'killed') await servers[place]?.kill9();
            if (how === 'slow') proxies[place]?.delay(400);
          }
          chaosRun.note(`${count} of 5 ${how}`);
          const { locks } = chaosRun.open();
          await sleep(NODE_MS);
          const start = performance.now();
          const outcome = await locks
            .getRedLock('f42')
            .tryAcquire({ lease: 1000 })
            .catch((error: unknown) => error);
          const ms = performance.now() - start;
          chaosRun.expect(ms < 3 * NODE_MS + 200, `${count} of 5 ${how}: a verdict took ${Math.round(ms)} ms`);
          if (new Set(places).size > 2) {
            chaosRun.expect(outcome instanceof LockUnavailableError, `${count} of 5 ${how}: a lock without a quorum`);
          } else await chaosRun.progress(`${count} of 5 ${how}`);
          await chaosRun.topology.settled();
          await sleep(300);
        }
      }
    },
  },
  {
    id: 'F42r',
    title: 'RedLock: masters restart empty, one after the other, with a restart guard',
    topologies: ['redlock'],
    options: { restartGuard: true },
    overrun: 2500,
    run: async (chaosRun) => {
      for (let round = 0; round < 4 * chaosRun.scale; round++) {
        await chaosRun.rng.pick(chaosRun.topology.servers).restart();
        await sleep(400);
      }
      await chaosRun.progress('after the guards', 4 * LEASE_MS + 4000);
    },
  },
];
