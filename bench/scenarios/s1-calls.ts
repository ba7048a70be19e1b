import type { CallForm } from '../adapters/adapter.js';
import { LIMIT, OURS } from '../libraries.js';
import { measurePairs, PAIR_METRICS } from './s1-uncontended.js';
import type { Scenario } from './scenario.js';

/** A way to write a call, and the bar for it. */
interface Form {
  readonly title: string;
  /** Absent: a hold that is acquired and released. */
  readonly form?: CallForm;
  /** p50 over the raw pair. */
  readonly atMost: number;
}

/** Rows of the table: their numbers are the sizes. */
const FORMS: readonly Form[] = [
  { title: 'acquire and release', atMost: 1.15 },
  { title: 'withLock', form: 'withLock', atMost: 1.2 },
  { title: '@Locked', form: 'locked', atMost: 1.2 },
  { title: "withLock, release: 'background'", form: 'background', atMost: 0.7 },
];

export const lockedCalls: Scenario = {
  id: 'S1-calls',
  title: 'uncontended calls, by how they are written',
  method:
    'As S1, by one call that locks, runs nothing and releases. Beside each form the raw pair is measured once more. A call ' +
    'that does not wait for the release is followed by a request that does, which is not counted.',
  metrics: PAIR_METRICS,
  when: 'each-node',
  bars: FORMS.map(({ title, atMost }, size) => ({
    text: `p50 of ${title} over the raw pair ≤ ${atMost.toFixed(2)}`,
    ...{ metric: 'p50', over: 'limit', atMost, size },
  })),
  takesPart: ({ name }) => name === OURS || name === LIMIT,
  sizes: () => FORMS.map((_, size) => size),
  rowTitle: ({ name, title }, size) => `${title}, ${name === OURS ? '' : 'beside '}${FORMS[size]?.title}`,
  measure: (measurement) =>
    measurePairs(measurement, measurement.library.name === OURS ? FORMS[measurement.size]?.form : undefined),
};
