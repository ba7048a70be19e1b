import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCase } from '../case.js';
import { LEASE_MS } from '../world.js';

/** What the checkers must find. */
export const controlCases: readonly ChaosCase[] = [
  {
    id: 'N1',
    title: 'control: a naive lock, SET NX PX and DEL, whose holders stall',
    topologies: ['standalone'],
    isControl: true,
    load: () => [{ kind: 'naive', names: ['order:1'], loops: 2, wait: 8000, hold: 50, lease: 500 }],
    run: async (world) => {
      for (let round = 0; round < 4; round++) {
        world.pauseProcess(round % 3);
        await sleep(LEASE_MS);
        world.resumeProcess(round % 3);
        await sleep(300);
      }
    },
  },
];
