import type { Metric } from './scenario.js';

export const ACQUISITIONS: Metric = { key: 'perSecond', title: 'acquisitions/s', best: 'highest' };
export const JAIN: Metric = { key: 'jain', title: 'Jain', digits: 3, best: 'highest' };
export const LEAST_SHARE: Metric = { key: 'leastShare', title: 'least share', unit: '%', digits: 1 };
export const GREATEST_SHARE: Metric = { key: 'greatestShare', title: 'greatest share', unit: '%', digits: 1 };
export const HAND_OVER_P50: Metric = {
  key: 'handOverP50',
  title: 'hand-over p50',
  unit: 'ms',
  digits: 3,
  best: 'lowest',
};
export const HAND_OVER_P99: Metric = {
  key: 'handOverP99',
  title: 'hand-over p99',
  unit: 'ms',
  digits: 3,
  best: 'lowest',
};

export const HAND_OVER_INSIDE_P50: Metric = {
  key: 'handOverInsideP50',
  title: 'hand-over p50 in the process',
  unit: 'ms',
  digits: 3,
  best: 'lowest',
};
export const WAIT_P50: Metric = { key: 'waitP50', title: 'wait p50', unit: 'ms', digits: 1 };
export const WAIT_P99: Metric = { key: 'waitP99', title: 'wait p99', unit: 'ms', digits: 1, best: 'lowest' };
export const FEWEST: Metric = { key: 'fewest', title: 'fewest served' };
export const MOST: Metric = { key: 'most', title: 'most served' };

/** Metrics that have to be 0 in every scenario with several loops. */
export const FAULTS: readonly Metric[] = [
  { key: 'unserved', title: 'unserved loops' },
  { key: 'overlaps', title: 'overlaps' },
  { key: 'failures', title: 'failures' },
  { key: 'stuck', title: 'stuck loops' },
];
