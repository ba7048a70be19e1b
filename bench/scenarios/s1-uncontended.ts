import type { CallForm } from '../adapters/adapter.js';
import { costEach, costOf } from '../cost/cost.js';
import { COSTS_OVER_LIMIT } from './cost-metrics.js';
import type { Figures, Measurement, Scenario } from './scenario.js';

const MS_PER_S = 1000;

export const PAIR_METRICS: Scenario['metrics'] = [
  { key: 'p50', title: 'p50', unit: 'µs', best: 'lowest', overLimit: true },
  { key: 'p99', title: 'p99', unit: 'µs', best: 'lowest' },
  ...COSTS_OVER_LIMIT,
];

export const uncontended: Scenario = {
  id: 'S1',
  title: 'uncontended pair',
  method: 'One loop acquires and releases a free lock; the time of both together.',
  metrics: PAIR_METRICS,
  bars: [
    { text: 'p50 over the raw pair ≤ 1.12', metric: 'p50', over: 'limit', atMost: 1.12 },
    { text: 'client CPU over the raw pair ≤ 1.25', metric: 'clientCpu', over: 'limit', atMost: 1.25 },
    { text: 'server time over the raw pair ≤ 1.80', metric: 'serverTime', over: 'limit', atMost: 1.8 },
    { text: 'p50 over the one before ≤ 1.03', metric: 'p50', over: 'before', atMost: 1.03 },
    { text: 'ahead of Redisson, p50', metric: 'p50', over: 'redisson', atMost: 1 },
  ],
  takesPart: () => true,
  measure: measurePairs,
};

export const uncontendedOnOneCore: Scenario = {
  id: 'S1-one-core',
  title: 'uncontended pair, server on the core of the client',
  method: 'As S1, while the server is pinned to the core of the client: what both compute adds up.',
  metrics: PAIR_METRICS,
  bars: [{ text: 'p50 over the raw pair ≤ 1.20', metric: 'p50', over: 'limit', atMost: 1.2 }],
  placement: 'pinned',
  takesPart: () => true,
  measure: async (measurement) => {
    // A process that is missing is started and warmed up with a core of its own.
    await measurement.world.pool.get({ adapter: measurement.library.name }, 1);
    return await measurement.world.onOneCore(() => measurePairs(measurement));
  },
};

export async function measurePairs({ world, library, key }: Measurement, form?: CallForm): Promise<Figures> {
  const [participant] = await world.pool.get({ adapter: library.name }, 1);
  if (participant === undefined) throw new Error('S1 needs a process');
  const { ms, warmUpMs } = world.settings;
  const observed = { ...library, observer: world.observer, clients: [participant] };
  const [done, cost] = await costOf(observed, () => participant.ask('pairs', { key, ms, warmUpMs, form }));
  const pairs = done.all ?? (done.perSecond * (ms + warmUpMs)) / MS_PER_S;
  return { p50: done.p50, p99: done.p99, ...costEach(cost, pairs) };
}
