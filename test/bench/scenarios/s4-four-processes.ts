import { ACQUISITIONS, FAULTS, GREATEST_SHARE, JAIN, LEAST_SHARE } from './contention-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const fourProcesses: Scenario = {
  id: 'S4',
  title: '4 processes × 25 loops on one lock',
  method: 'Nothing is done while the lock is held. Shares are those of the processes; overlaps are of all of them.',
  metrics: [ACQUISITIONS, LEAST_SHARE, GREATEST_SHARE, JAIN, ...FAULTS],
  bars: [
    {
      text: 'acquisitions/s over the best peer ≥ 18',
      metric: 'perSecond',
      over: 'best peer',
      atLeast: 18,
      whyMissed:
        'Most of the time is the way of the real release after 16 hand-overs: its announcement to the process whose turn it is, which wakes up and asks. Winning again oneself is quicker, and unfair. The bar was set against peers at about 2,300/s; by asking again at once, the best one does more than twice that here.',
    },
    { text: 'least share of a process ≥ 20 %', metric: 'leastShare', atLeast: 20 },
    { text: 'greatest share of a process ≤ 30 %', metric: 'greatestShare', atMost: 30 },
    { text: 'no overlaps', metric: 'overlaps', atMost: 0 },
    { text: 'ahead of Redisson, acquisitions/s', metric: 'perSecond', over: 'redisson', atLeast: 1 },
  ],
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 25 }),
};
