import { ACQUISITIONS, FAULTS, HAND_OVER_P50, HAND_OVER_P99, JAIN } from './contention-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const contendedHandOver: Scenario = {
  id: 'S5b',
  title: 'hand-over among 4 processes × 50 loops, 1 ms section',
  method:
    'The holder sleeps by a timer of 1 ms (Java: Thread.sleep). Hand-over: from the beginning of a release to the next ' +
    'grant in any process.',
  metrics: [HAND_OVER_P50, HAND_OVER_P99, ACQUISITIONS, JAIN, ...FAULTS],
  bars: [
    {
      text: 'p99 over the best peer ≤ 0.45',
      metric: 'handOverP99',
      over: 'best peer',
      atMost: 0.45,
      whyMissed:
        'The one in five releases that goes to another process needs an announcement and a command. Peers that ask again all the time are as quick for some loop, and serve a third of the loops not at all.',
    },
    { text: 'no loop unserved', metric: 'unserved', atMost: 0 },
  ],
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 50, sectionMs: 1 }),
};
