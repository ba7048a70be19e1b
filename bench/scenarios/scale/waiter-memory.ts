import { setTimeout as sleep } from 'node:timers/promises';
import { OURS } from '../../libraries.js';
import { NodeParticipant } from '../../workers/node-participant.js';
import type { Scenario } from '../scenario.js';

const SETTLE_MS = 2000;

export const waiterMemory: Scenario = {
  id: 'scale-waiter-memory',
  title: 'memory of a waiter',
  method:
    'That many waiters in a new process for a lock that another one holds; the heap before and after, without garbage.',
  metrics: [
    { key: 'heapEach', title: 'heap per waiter', unit: 'B', best: 'lowest' },
    { key: 'rssEach', title: 'RSS per waiter', unit: 'B', best: 'lowest' },
  ],
  bars: [
    {
      text: 'heap per waiter ≤ 1,000 B',
      metric: 'heapEach',
      atMost: 1000,
      size: 5000,
    },
  ],
  when: 'once',
  maxRounds: 1,
  takesPart: ({ name, runtime, waiting }, { allPeers }) =>
    name === OURS || (runtime === 'node' && waiting !== 'none' && allPeers),
  sizes: () => [5000],
  rowTitle: ({ title }, size) => `${title}, ${size.toLocaleString('en-US')} waiters`,
  measure: async ({ world, library, key, size }) => {
    await world.pool.stopAll();
    const [holder, waiter] = await world.pool.get({ adapter: library.name }, 2);
    if (!(holder instanceof NodeParticipant && waiter instanceof NodeParticipant)) throw new Error('Only Node tells');
    // The first waiter allocates what all waiters share, so it is not counted.
    await holder.ask('take', { key });
    await waiter.ask('queueUp', { key, count: 1 });
    await sleep(SETTLE_MS);
    const before = await waiter.ask('memory');
    await waiter.ask('queueUp', { key, count: size });
    await sleep(SETTLE_MS);
    const after = await waiter.ask('memory');
    await world.pool.stop(library.name);
    return { heapEach: (after.heap - before.heap) / size, rssEach: (after.rss - before.rss) / size };
  },
};
