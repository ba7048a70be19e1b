import { OURS } from '../../libraries.js';
import { between, commandStats } from '../../cost/server-commands.js';
import { NodeParticipant } from '../../workers/node-participant.js';
import type { Scenario } from '../scenario.js';

const SETTLE_MS = 4000;
const WARM_UP_NAMES = 1;

export const busyNames: Scenario = {
  id: 'scale-names',
  title: '100 to 10,000 busy locks that one process waits for',
  method:
    'One process holds that many locks, another one asks for all of them in one turn of its event loop. Everything is ' +
    `counted for ${SETTLE_MS / 1000} s, less than a safety poll takes to come; then the heap, without garbage.`,
  metrics: [
    { key: 'scriptsEach', title: 'scripts per waiter', digits: 1, best: 'lowest' },
    { key: 'subscribes', title: 'SUBSCRIBE commands', best: 'lowest' },
    { key: 'loopMax', title: 'loop delay, longest', unit: 'ms', best: 'lowest' },
    { key: 'heapEach', title: 'heap per waiter', unit: 'B', best: 'lowest' },
    { key: 'failed', title: 'waits that failed' },
  ],
  when: 'named',
  maxRounds: 3,
  takesPart: ({ name }) => name === OURS,
  sizes: ({ quick }) => (quick ? [100, 1000] : [100, 1000, 10_000]),
  rowTitle: ({ title }, size) => `${title}, ${size.toLocaleString('en-US')} names`,
  measure: async ({ world, library, key, size }) => {
    await world.pool.stopAll();
    const [holder, waiter] = await world.pool.get({ adapter: library.name }, 2);
    if (!(holder instanceof NodeParticipant && waiter instanceof NodeParticipant)) throw new Error('Only Node tells');
    // The first waiters allocate what all waiters share, so they are not counted.
    await holder.ask('hold', { prefix: `${key}:first`, count: WARM_UP_NAMES });
    await waiter.ask('queueUpNames', { prefix: `${key}:first`, count: WARM_UP_NAMES, ms: SETTLE_MS });
    await holder.ask('hold', { prefix: key, count: size });
    const heap = (await waiter.ask('memory')).heap;
    const start = await commandStats(world.observer);
    const delay = await waiter.ask('queueUpNames', { prefix: key, count: size, ms: SETTLE_MS });
    const used = between(start, await commandStats(world.observer));
    const { failed } = await waiter.ask('queued');
    const heapEach = ((await waiter.ask('memory')).heap - heap) / size;
    await world.pool.stop(library.name);
    const calls = (name: string): number => used.get(name)?.calls ?? 0;
    return {
      scriptsEach: (calls('evalsha') + calls('eval')) / size,
      subscribes: calls('subscribe'),
      loopMax: delay.max,
      heapEach,
      failed,
    };
  },
};
