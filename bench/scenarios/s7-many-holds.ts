import { OURS } from '../libraries.js';
import { measureHeldLocks } from './held-locks.js';
import type { Bar, Metric, Scenario } from './scenario.js';

const METRICS: readonly Metric[] = [
  { key: 'commands', title: 'commands/s', digits: 1, best: 'lowest' },
  { key: 'lost', title: 'holds lost' },
  { key: 'loopP99', title: 'loop delay p99', unit: 'ms', digits: 1, best: 'lowest' },
  { key: 'loopMax', title: 'loop delay max', unit: 'ms', digits: 1, best: 'lowest' },
  { key: 'heapEach', title: 'heap per hold', unit: 'B', best: 'lowest' },
  { key: 'rssEach', title: 'RSS per hold', unit: 'B', best: 'lowest' },
  { key: 'acquireMs', title: 'to acquire them', unit: 'ms' },
];

const SEEN =
  'Loop delay: by monitorEventLoopDelay with a resolution of 1 ms, which is taken off, from a second after the last ' +
  'acquisition. Lost: keys that are missing at the end, or losses that the library noticed if those are more.';

const WITHOUT_REDISSON =
  'Redisson 4.7.0 takes no part: with some 4,000 such holds in one process its renewals had taken the whole server (6.7 ' +
  'million PEXPIRE in 20 s), and it acquired two more a second.';

const takesPart: Scenario['takesPart'] = ({ name, renews, runtime }, { allPeers }) =>
  name === OURS || (renews && runtime === 'node' && allPeers);

const NONE_LOST: Bar = { text: 'no hold lost', metric: 'lost', atMost: 0 };

const manyHolds = (
  scenario: Pick<Scenario, 'id' | 'title' | 'method' | 'bars' | 'takesPart' | 'when'>,
  held: { readonly holds: number; readonly renewedLease: number; readonly periods: number },
): Scenario => ({
  ...scenario,
  metrics: METRICS,
  maxRounds: 1,
  measure: (measurement) => measureHeldLocks(measurement, { ...held, watchMs: held.renewedLease * held.periods }),
});

export const tenThousandHolds = manyHolds(
  {
    id: 'S7a',
    title: '10,000 holds that last 6 s',
    method: `One process holds them over 3 times their lease. ${SEEN} ${WITHOUT_REDISSON}`,
    when: 'once',
    bars: [
      { text: '≤ 20 commands/s', metric: 'commands', atMost: 20 },
      NONE_LOST,
      { text: 'loop delay p99 ≤ 10 ms', metric: 'loopP99', atMost: 10 },
      { text: 'heap per hold ≤ 1,300 B', metric: 'heapEach', atMost: 1300 },
    ],
    takesPart,
  },
  { holds: 10_000, renewedLease: 6000, periods: 3 },
);

export const hundredThousandHolds = manyHolds(
  {
    id: 'S7b',
    title: '100,000 holds that last 30 s',
    method: `One process holds them over 1.2 times their lease. ${SEEN}`,
    when: 'named',
    bars: [NONE_LOST, { text: 'loop delay p99 ≤ 20 ms', metric: 'loopP99', atMost: 20 }],
    takesPart,
  },
  { holds: 100_000, renewedLease: 30_000, periods: 1.2 },
);
