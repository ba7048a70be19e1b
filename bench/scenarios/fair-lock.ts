import { ACQUISITIONS, FAULTS, GREATEST_SHARE, HAND_OVER_P50, JAIN, LEAST_SHARE } from './contention-metrics.js';
import { COSTS } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const fairLock: Scenario = {
  id: 'fair',
  title: 'fair locks, 4 processes × 25 loops on one lock',
  method:
    'As S4. Out of order: grants that came after a grant to a later request of the same process (in Java threads ask, and ' +
    'their requests may change order on the way). Worst overtaking: the longest time by which an overtaken request was ' +
    'earlier, over all processes, whose requests may pass each other on the way.',
  metrics: [
    ACQUISITIONS,
    { key: 'outOfOrder', title: 'out of order' },
    { key: 'worstOvertaking', title: 'worst overtaking', unit: 'ms', digits: 1 },
    LEAST_SHARE,
    GREATEST_SHARE,
    JAIN,
    HAND_OVER_P50,
    ...COSTS,
    ...FAULTS,
  ],
  bars: [
    { text: 'acquisitions/s over those before ≥ 0.97', metric: 'perSecond', over: 'before', atLeast: 0.97 },
    { text: 'acquisitions/s over Redisson’s fair lock ≥ 2', metric: 'perSecond', over: 'redisson', atLeast: 2 },
    { text: 'strict order', metric: 'outOfOrder', atMost: 0 },
    { text: 'no overlaps', metric: 'overlaps', atMost: 0 },
  ],
  when: 'each-node',
  takesPart: ({ hasFairLock }) => hasFairLock,
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 25, fair: true }),
};
