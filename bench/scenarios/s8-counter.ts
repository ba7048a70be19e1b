import { ACQUISITIONS, FAULTS } from './contention-metrics.js';
import { CLIENT_CPU, SERVER_CPU } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Scenario } from './scenario.js';

export const counter: Scenario = {
  id: 'S8',
  title: 'a counter kept by GET and SET under a lock, 4 processes × 25 loops',
  method:
    'As S4; the holder reads a counter and writes it back, one higher, in two round trips. What it is short of is lost.',
  metrics: [ACQUISITIONS, { key: 'lostUpdates', title: 'lost updates' }, CLIENT_CPU, SERVER_CPU, ...FAULTS],
  bars: [
    { text: 'no update lost', metric: 'lostUpdates', atMost: 0 },
    { text: 'no loop stuck', metric: 'stuck', atMost: 0 },
  ],
  when: 'once',
  maxRounds: 1,
  takesPart: ({ waiting }) => waiting !== 'none',
  measure: async (measurement) => {
    const key = `${measurement.key}:counter`;
    const figures = await contendForOneLock(measurement, { processes: 4, loopsEach: 25, counter: key });
    const counted = Number(await measurement.world.observer.get(key));
    return { ...figures, lostUpdates: figures.acquired - counted };
  },
};
