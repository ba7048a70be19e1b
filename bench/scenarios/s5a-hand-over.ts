import { setTimeout as sleep } from 'node:timers/promises';
import { costEach, costOf } from '../cost/cost.js';
import { percentile } from '../figures/statistics.js';
import { LIMIT } from '../libraries.js';
import { NS_PER_MS } from '../workers/clock.js';
import { NodeParticipant } from '../workers/node-participant.js';
import type { Participant } from '../workers/participant.js';
import { COSTS } from './cost-metrics.js';
import type { Figures, Scenario } from './scenario.js';

/** The least time that the other process has waited when the lock is released, ms. */
const WAIT_MS = 10;
/** The most time that is added to it, ms. */
const WAIT_JITTER_MS = 10;

export const handOver: Scenario = {
  id: 'S5a',
  title: 'hand-over to a waiter in another process',
  method:
    `Two processes take turns; the other one has waited ${WAIT_MS}–${WAIT_MS + WAIT_JITTER_MS} ms. From the beginning of ` +
    'the release to the grant in the other process. The limit here is from PUBLISH to its message. Costs are those of a turn.',
  metrics: [
    { key: 'p50', title: 'p50', unit: 'ms', digits: 3, best: 'lowest', overLimit: true },
    { key: 'p99', title: 'p99', unit: 'ms', digits: 3, best: 'lowest' },
    ...COSTS,
  ],
  bars: [
    { text: 'p50 over the one before ≤ 0.75', metric: 'p50', over: 'before', atMost: 0.75 },
    {
      text: 'p50 over the best peer ≤ 0.55',
      metric: 'p50',
      over: 'best peer',
      atMost: 0.55,
    },
    { text: 'commands a turn ≤ 4.5', metric: 'commands', atMost: 4.5 },
    { text: 'ahead of Redisson, p50', metric: 'p50', over: 'redisson', atMost: 1 },
  ],
  // For Redisson's raw scripts it would be the same message.
  takesPart: ({ name, waiting }) => name === LIMIT || waiting !== 'none',
  rowTitle: ({ name, title }) => (name === LIMIT ? 'PUBLISH to message' : title),
  measure: async ({ world, library, key }) => {
    const [one, other] = await world.pool.get({ adapter: library.name }, 2);
    if (one === undefined || other === undefined) throw new Error('S5a needs two processes');
    const end = performance.now() + world.settings.warmUpMs + world.settings.ms;
    const observed = { ...library, observer: world.observer, clients: [one, other] };
    const [delays, cost] = await costOf(observed, () =>
      library.name === LIMIT ? messages(one, other, key, end) : turns(one, other, key, end),
    );
    return { ...summary(delays), ...costEach(cost, delays.length) };
  },
};

function summary(delays: readonly number[]): Figures {
  // The first tenth warms up.
  const counted = delays.slice(Math.ceil(delays.length / 10));
  return { p50: percentile(counted, 0.5) / NS_PER_MS, p99: percentile(counted, 0.99) / NS_PER_MS };
}

const pause = (): Promise<void> => sleep(WAIT_MS + Math.random() * WAIT_JITTER_MS);

async function turns(one: Participant, other: Participant, key: string, end: number): Promise<number[]> {
  const delays: number[] = [];
  let [holder, waiter] = [one, other];
  await holder.ask('take', { key });
  while (performance.now() < end) {
    const granted = waiter.ask('take', { key });
    await pause();
    const [released, got] = await Promise.all([holder.ask('giveBack', { key }), granted]);
    delays.push(got - released);
    [holder, waiter] = [waiter, holder];
  }
  await holder.ask('giveBack', { key });
  return delays;
}

async function messages(one: Participant, other: Participant, channel: string, end: number): Promise<number[]> {
  if (!(one instanceof NodeParticipant && other instanceof NodeParticipant)) throw new Error('Only Node listens');
  const delays: number[] = [];
  await other.ask('listen', { channel });
  while (performance.now() < end) {
    const heard = other.ask('heard');
    await pause();
    const [published, arrived] = await Promise.all([one.ask('publish', { channel }), heard]);
    delays.push(arrived - published);
  }
  return delays;
}
