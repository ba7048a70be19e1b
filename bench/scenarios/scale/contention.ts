import { OURS } from '../../libraries.js';
import {
  ACQUISITIONS,
  FAULTS,
  GREATEST_SHARE,
  HAND_OVER_P50,
  HAND_OVER_P99,
  JAIN,
  LEAST_SHARE,
} from '../contention-metrics.js';
import { COSTS } from '../cost-metrics.js';
import { contendForOneLock } from '../one-lock.js';
import type { Scenario } from '../scenario.js';

export const waitersOnOneLock: Scenario = {
  id: 'scale-waiters',
  title: '1 to 1,000 loops of one process on one lock',
  method: 'As S3, with that many loops.',
  metrics: [ACQUISITIONS, HAND_OVER_P50, HAND_OVER_P99, JAIN, ...COSTS, ...FAULTS],
  when: 'named',
  maxRounds: 3,
  takesPart: ({ name }) => name === OURS,
  sizes: () => [1, 10, 100, 1000],
  rowTitle: ({ title }, size) => `${title}, ${size} loops`,
  measure: (measurement) => contendForOneLock(measurement, { processes: 1, loopsEach: measurement.size }),
};

export const processesOnOneLock: Scenario = {
  id: 'scale-processes',
  title: '1 to 8 processes × 25 loops on one lock',
  method: 'As S4, with that many processes.',
  metrics: [ACQUISITIONS, HAND_OVER_P50, HAND_OVER_P99, LEAST_SHARE, GREATEST_SHARE, JAIN, ...COSTS, ...FAULTS],
  when: 'named',
  maxRounds: 3,
  takesPart: ({ name }) => name === OURS,
  sizes: () => [1, 2, 4, 8],
  rowTitle: ({ title }, size) => `${title}, ${size} processes`,
  measure: (measurement) => contendForOneLock(measurement, { processes: measurement.size, loopsEach: 25 }),
};
