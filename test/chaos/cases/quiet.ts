import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCase } from '../case.js';
import { permitLoad, usualLoad } from '../usual-load.js';

/** A load without faults, with which all other cases are compared. */
export const quietCases: readonly ChaosCase[] = [
  {
    id: 'F0',
    title: 'nothing amiss, heavy load',
    topologies: ['standalone', 'sentinel', 'cluster', 'redlock'],
    load: (topology) =>
      [...usualLoad(topology), ...(topology === 'redlock' ? [] : permitLoad())].map((load) => ({
        ...load,
        hold: 1,
        pause: 1,
        loops: load.loops + 2,
      })),
    longScale: 15,
    run: (chaosRun) => sleep(4000 * chaosRun.scale),
  },
];
