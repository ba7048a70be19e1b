import { ACQUISITIONS, FAULTS, GREATEST_SHARE, JAIN, LEAST_SHARE } from './contention-metrics.js';
import { COSTS } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const fourProcesses: Scenario = {
  id: 'S4',
  title: '4 processes × 25 loops on one lock',
  method: 'Nothing is done while the lock is held. Shares are those of the processes; overlaps are of all of them.',
  metrics: [ACQUISITIONS, LEAST_SHARE, GREATEST_SHARE, JAIN, ...COSTS, ...FAULTS],
  bars: [
    { text: 'acquisitions/s over those before ≥ 1.6', metric: 'perSecond', over: 'before', atLeast: 1.6 },
    {
      text: 'acquisitions/s over the best peer ≥ 18',
      metric: 'perSecond',
      over: 'best peer',
      atLeast: 18,
    },
    { text: 'least share of a process ≥ 20 %', metric: 'leastShare', atLeast: 20 },
    { text: 'greatest share of a process ≤ 30 %', metric: 'greatestShare', atMost: 30 },
    { text: 'no loop unserved', metric: 'unserved', atMost: 0 },
    { text: 'no overlaps', metric: 'overlaps', atMost: 0 },
    { text: 'ahead of Redisson, acquisitions/s', metric: 'perSecond', over: 'redisson', atLeast: 1 },
  ],
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 25 }),
};
