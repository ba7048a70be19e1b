import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../figures/statistics.js';
import { OURS } from '../../libraries.js';
import { between, commandStats, scriptUsage } from '../../cost/server-commands.js';
import { NS_PER_MS } from '../../workers/clock.js';
import { NodeParticipant } from '../../workers/node-participant.js';
import type { BenchWorld } from '../../bench-world.js';
import type { Scenario } from '../scenario.js';

const PASSED_ON = 200;
const LOOK_MS = 20;
const LIMIT_MS = 300_000;

export const fairQueue: Scenario = {
  id: 'scale-fair-queue',
  title: 'a fair queue of 10 to 10,000 waiters',
  method:
    'One process holds a fair lock, that many wait for it in another one; then it is passed on ' +
    `${PASSED_ON} times (10 waiters: 5 times) within that process. Server time is that of all scripts of the phase, by ` +
    'the call and by the waiter or hand-over.',
  metrics: [
    { key: 'enqueueEach', title: 'enqueue, server time per waiter', unit: 'µs', digits: 1 },
    { key: 'enqueueMs', title: 'until all have a place', unit: 'ms' },
    { key: 'handOverCall', title: 'hand-over, server time per call', unit: 'µs', digits: 1 },
    { key: 'handOverEach', title: 'hand-over, server time each', unit: 'µs', digits: 1 },
    { key: 'handOverP50', title: 'hand-over p50', unit: 'ms', digits: 3 },
  ],
  when: 'named',
  maxRounds: 1,
  takesPart: ({ name }) => name === OURS,
  sizes: ({ quick }) => (quick ? [10, 100, 1000] : [10, 100, 1000, 10_000]),
  rowTitle: ({ title }, size) => `${title}, ${size.toLocaleString('en-US')} waiters`,
  measure: async ({ world, library, key, size }) => {
    await world.pool.stopAll();
    const [holder, waiter] = await world.pool.get({ adapter: library.name, fair: true }, 2);
    if (!(holder instanceof NodeParticipant && waiter instanceof NodeParticipant)) throw new Error('Only Node queues');
    await holder.ask('take', { key });

    const start = performance.now();
    const empty = await commandStats(world.observer);
    await waiter.ask('queueUp', { key, count: size });
    await allQueued(world, key, size);
    const enqueueMs = performance.now() - start;
    const full = await commandStats(world.observer);

    const times = Math.min(PASSED_ON, size / 2);
    const passing = waiter.ask('passOn', { count: times });
    await holder.ask('giveBack', { key });
    const delays = await passing;
    const passed = scriptUsage(between(full, await commandStats(world.observer)));
    await world.pool.stop(library.name);
    return {
      enqueueMs,
      enqueueEach: scriptUsage(between(empty, full)).usec / size,
      handOverCall: passed.usec / passed.calls,
      handOverEach: passed.usec / times,
      handOverP50: percentile(delays, 0.5) / NS_PER_MS,
    };
  },
};

async function allQueued({ observer }: BenchWorld, key: string, waiters: number): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    const length = await observer.llen(`redisson_lock_queue:{${key}}`);
    if (length >= waiters) return;
    if (performance.now() > limit) throw new Error(`Only ${length} of ${waiters} have a place after ${LIMIT_MS} ms`);
    await sleep(LOOK_MS);
  }
}
