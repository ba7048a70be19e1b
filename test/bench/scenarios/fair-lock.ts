import { ACQUISITIONS, FAULTS, GREATEST_SHARE, HAND_OVER_P50, JAIN, LEAST_SHARE } from './contention-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const fairLock: Scenario = {
  id: 'fair',
  title: 'fair locks, 4 processes × 25 loops on one lock',
  method:
    'As S4. Out of order: grants after one of the same process that had been asked for later (in Java threads ask, whose ' +
    'order on the way is nobody’s). Worst overtaking: by how much the first had asked earlier, over all processes, whose ' +
    'requests may pass each other on the way.',
  metrics: [
    ACQUISITIONS,
    { key: 'outOfOrder', title: 'out of order' },
    { key: 'worstOvertaking', title: 'worst overtaking', unit: 'ms', digits: 1 },
    LEAST_SHARE,
    GREATEST_SHARE,
    JAIN,
    HAND_OVER_P50,
    ...FAULTS,
  ],
  bars: [
    { text: 'acquisitions/s over Redisson’s fair lock ≥ 2', metric: 'perSecond', over: 'redisson', atLeast: 2 },
    { text: 'strict order', metric: 'outOfOrder', atMost: 0 },
    { text: 'no overlaps', metric: 'overlaps', atMost: 0 },
  ],
  takesPart: ({ hasFairLock }) => hasFairLock,
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 25, fair: true }),
};
