import type { Scenario } from './scenario.js';

export const uncontended: Scenario = {
  id: 'S1',
  title: 'uncontended pair',
  method: 'One loop acquires and releases a free lock; the time of both together.',
  metrics: [
    { key: 'p50', title: 'p50', unit: 'µs', best: 'lowest', overLimit: true },
    { key: 'p99', title: 'p99', unit: 'µs', best: 'lowest' },
  ],
  bars: [
    {
      text: 'p50 over the raw pair ≤ 1.10',
      metric: 'p50',
      over: 'limit',
      atMost: 1.1,
      whyMissed:
        'A quarter of it is in the scripts, which look at the clock and refuse what comes late. The rest is work in this process: 15 promises instead of 4, the hold, its lease, its deadlines and its place on the watchdog, and a timer of ioredis for a silent socket.',
    },
    { text: 'ahead of Redisson, p50', metric: 'p50', over: 'redisson', atMost: 1 },
  ],
  takesPart: () => true,
  measure: async ({ world, library, key }) => {
    const [participant] = await world.pool.get({ adapter: library.name }, 1);
    const { ms, warmUpMs } = world.settings;
    const done = await participant?.ask('pairs', { key, ms, warmUpMs });
    return { p50: done?.p50 ?? Number.NaN, p99: done?.p99 ?? Number.NaN };
  },
};
