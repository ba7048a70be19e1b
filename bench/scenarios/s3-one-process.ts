import { ACQUISITIONS, FAULTS, HAND_OVER_P50, JAIN } from './contention-metrics.js';
import { COSTS } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const oneProcess: Scenario = {
  id: 'S3',
  title: '100 loops in one process on one lock',
  method: 'Nothing is done while the lock is held. Loops that got nothing in the measured time are unserved.',
  metrics: [ACQUISITIONS, JAIN, HAND_OVER_P50, ...COSTS, ...FAULTS],
  bars: [
    { text: 'acquisitions/s over those before ≥ 0.97', metric: 'perSecond', over: 'before', atLeast: 0.97 },
    {
      text: 'acquisitions/s over the best peer ≥ 20',
      metric: 'perSecond',
      over: 'best peer',
      atLeast: 20,
    },
    { text: 'Jain ≥ 0.99', metric: 'jain', atLeast: 0.99 },
    { text: 'no loop unserved', metric: 'unserved', atMost: 0 },
  ],
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: (measurement) => contendForOneLock(measurement, { processes: 1, loopsEach: 100 }),
};
