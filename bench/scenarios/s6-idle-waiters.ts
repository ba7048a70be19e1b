import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime } from '../cost/cpu-time.js';
import { OURS } from '../libraries.js';
import { between, commandStats, sentByClients } from '../cost/server-commands.js';
import { NodeParticipant } from '../workers/node-participant.js';
import type { Scenario } from './scenario.js';

const WAITERS = 1000;
const SETTLE_MS = 3000;
/** Long enough for everything that happens every 10 s. */
const IDLE_MS = 10_000;
const MS_PER_S = 1000;

export const idleWaiters: Scenario = {
  id: 'S6',
  title: '1,000 idle waiters',
  method:
    `One process holds a lock, ${WAITERS} wait for it in another one. After ${SETTLE_MS / MS_PER_S} s: commands that reach ` +
    'the server, also the renewals of the holder, and the processor time of the process that waits, in percent of one core.',
  metrics: [
    { key: 'commands', title: 'commands/s', digits: 1, best: 'lowest' },
    { key: 'cpu', title: 'CPU', unit: '%', digits: 1, best: 'lowest' },
    { key: 'gaveUp', title: 'waiters that gave up' },
  ],
  bars: [
    { text: '≤ 2 commands/s', metric: 'commands', atMost: 2 },
    { text: '≤ 1 % CPU', metric: 'cpu', atMost: 1 },
  ],
  when: 'once',
  maxRounds: 1,
  takesPart: ({ name, waiting }, { allPeers }) => name === OURS || (allPeers && waiting !== 'none'),
  measure: async ({ world, library, key }) => {
    await world.pool.stopAll();
    const [holder, waiter] = await world.pool.get({ adapter: library.name }, 2);
    if (holder === undefined || waiter === undefined) throw new Error('S6 needs two processes');
    await holder.ask('take', { key });
    await waiter.ask('queueUp', { key, count: WAITERS });
    await sleep(SETTLE_MS);
    const [used, before] = [cpuTime(waiter.pid), await commandStats(world.observer)];
    await sleep(IDLE_MS);
    const done = between(before, await commandStats(world.observer));
    const cpu = cpuTime(waiter.pid) - used;
    const queued = waiter instanceof NodeParticipant ? await waiter.ask('queued') : undefined;
    // Ends the waiters, which would go on waiting.
    await world.pool.stop(library.name);
    return {
      commands: sentByClients(done).calls / (IDLE_MS / MS_PER_S),
      cpu: (100 * cpu) / IDLE_MS,
      gaveUp: queued === undefined ? Number.NaN : queued.failed + queued.granted,
    };
  },
};
