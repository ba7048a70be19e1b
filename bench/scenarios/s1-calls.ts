import { CALL_FORMS } from '../adapters/adapter.js';
import { LIMIT, OURS } from '../libraries.js';
import { measurePairs, PAIR_METRICS } from './s1-uncontended.js';
import type { Bar, Scenario } from './scenario.js';

const FORMS = [undefined, ...CALL_FORMS] as const;
const TITLES = ['acquire and release', 'withLock', '@Locked', "withLock, release: 'background'"] as const;

const bar = (size: number, atMost: number): Bar => ({
  text: `p50 of ${TITLES[size]} over the raw pair ≤ ${atMost.toFixed(2)}`,
  ...{ metric: 'p50', over: 'limit', atMost, size },
});

export const lockedCalls: Scenario = {
  id: 'S1-calls',
  title: 'uncontended calls, by how they are written',
  method:
    'As S1, by one call that locks, runs nothing and releases. Beside each form the raw pair is measured once more. A call ' +
    'that does not wait for the release is followed by a request that does, which is not counted.',
  metrics: PAIR_METRICS,
  when: 'each-node',
  bars: [bar(0, 1.15), bar(1, 1.2), bar(2, 1.2), bar(3, 0.7)],
  takesPart: ({ name }) => name === OURS || name === LIMIT,
  sizes: () => FORMS.map((_, size) => size),
  rowTitle: ({ name, title }, size) =>
    name === OURS ? `${title}, ${TITLES[size]}` : `${title}, beside ${TITLES[size]}`,
  measure: (measurement) =>
    measurePairs(measurement, measurement.library.name === OURS ? FORMS[measurement.size] : undefined),
};
