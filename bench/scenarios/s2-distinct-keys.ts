import { costEach, costOf } from '../cost/cost.js';
import { COSTS_OVER_LIMIT } from './cost-metrics.js';
import type { Scenario } from './scenario.js';

const LOOPS = 256;
const MS_PER_S = 1000;

export const distinctKeys: Scenario = {
  id: 'S2',
  title: '256 loops on distinct keys in one process',
  method: `${LOOPS} loops, each acquires and releases a lock of its own; pairs of all together. Redisson: threads.`,
  metrics: [{ key: 'perSecond', title: 'pairs/s', best: 'highest', overLimit: true }, ...COSTS_OVER_LIMIT],
  bars: [
    { text: 'pairs/s over those before ≥ 0.97', metric: 'perSecond', over: 'before', atLeast: 0.97 },
    {
      text: 'over the raw pair ≥ 0.95',
      metric: 'perSecond',
      over: 'limit',
      atLeast: 0.95,
    },
    {
      text: 'ahead of every peer',
      metric: 'perSecond',
      over: 'best peer',
      atLeast: 1,
    },
  ],
  takesPart: () => true,
  measure: async ({ world, library, key }) => {
    const [participant] = await world.pool.get({ adapter: library.name }, 1);
    const { ms, warmUpMs } = world.settings;
    if (participant === undefined) throw new Error('S2 needs a process');
    const observed = { ...library, observer: world.observer, clients: [participant] };
    const [done, cost] = await costOf(observed, () => participant.ask('distinct', { key, loops: LOOPS, ms, warmUpMs }));
    const pairs = done.all ?? (done.perSecond * (ms + warmUpMs)) / MS_PER_S;
    return { perSecond: done.perSecond, ...costEach(cost, pairs) };
  },
};
