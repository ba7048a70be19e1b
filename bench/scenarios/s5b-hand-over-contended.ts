import {
  ACQUISITIONS,
  FAULTS,
  HAND_OVER_INSIDE_P50,
  HAND_OVER_P50,
  HAND_OVER_P99,
  JAIN,
  WAIT_P50,
  WAIT_P99,
} from './contention-metrics.js';
import { COSTS } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const contendedHandOver: Scenario = {
  id: 'S5b',
  title: 'hand-over among 4 processes × 50 loops, 1 ms section',
  method:
    'The holder sleeps by a timer of 1 ms (Java: Thread.sleep). Hand-over: from the beginning of a release to the next ' +
    'grant in any process, or in the same one. Wait: from a request to its grant.',
  metrics: [
    HAND_OVER_INSIDE_P50,
    HAND_OVER_P50,
    HAND_OVER_P99,
    WAIT_P50,
    WAIT_P99,
    ACQUISITIONS,
    JAIN,
    ...COSTS,
    ...FAULTS,
  ],
  bars: [
    { text: 'p50 in the process over the one before ≤ 0.5', metric: 'handOverInsideP50', over: 'before', atMost: 0.5 },
    { text: 'p50 in the process ≤ 0.010 ms', metric: 'handOverInsideP50', atMost: 0.01 },
    { text: 'commands per acquisition ≤ 0.5', metric: 'commands', atMost: 0.5 },
    {
      text: 'p99 over the best peer ≤ 0.45',
      metric: 'handOverP99',
      over: 'best peer',
      atMost: 0.45,
    },
    { text: 'no loop unserved', metric: 'unserved', atMost: 0 },
  ],
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: (measurement) => contendForOneLock(measurement, { processes: 4, loopsEach: 50, sectionMs: 1 }),
};
