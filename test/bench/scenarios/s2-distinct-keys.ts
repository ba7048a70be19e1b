import type { Scenario } from './scenario.js';

const LOOPS = 256;

export const distinctKeys: Scenario = {
  id: 'S2',
  title: '256 loops on distinct keys in one process',
  method: `${LOOPS} loops, each acquires and releases a lock of its own; pairs of all together. Redisson: threads.`,
  metrics: [{ key: 'perSecond', title: 'pairs/s', best: 'highest', overLimit: true }],
  bars: [
    {
      text: 'over the raw pair ≥ 0.82',
      metric: 'perSecond',
      over: 'limit',
      atLeast: 0.82,
      whyMissed:
        'What a pair costs beyond its two commands is work in this process: 15 promises instead of 4, the hold, its lease, its deadlines and its place on the watchdog.',
    },
    {
      text: 'ahead of every peer',
      metric: 'perSecond',
      over: 'best peer',
      atLeast: 1,
      whyMissed:
        'What a pair costs beyond its two commands is work in this process: 15 promises instead of 4, the hold, its lease, its deadlines and its place on the watchdog. The quick peers keep nothing of the kind: a hold is a value that expires.',
    },
  ],
  takesPart: () => true,
  measure: async ({ world, library, key }) => {
    const [participant] = await world.pool.get({ adapter: library.name }, 1);
    const { ms, warmUpMs } = world.settings;
    const done = await participant?.ask('distinct', { key, loops: LOOPS, ms, warmUpMs });
    return { perSecond: done?.perSecond ?? Number.NaN };
  },
};
