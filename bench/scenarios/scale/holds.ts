import { OURS } from '../../libraries.js';
import { measureHeldLocks } from '../held-locks.js';
import type { Scenario } from '../scenario.js';

const LEASE_MS = 6000;

export const heldLocks: Scenario = {
  id: 'scale-holds',
  title: '1 to 100,000 locks held by one process',
  method: `As S7 with holds that last ${LEASE_MS / 1000} s, watched for as long. Server time is that of renewals.`,
  metrics: [
    { key: 'commands', title: 'commands/s', digits: 1 },
    { key: 'serverUsec', title: 'server time per hold and second', unit: 'µs', digits: 2 },
    { key: 'heapEach', title: 'heap per hold', unit: 'B' },
    { key: 'rssEach', title: 'RSS per hold', unit: 'B' },
    { key: 'loopP99', title: 'loop delay p99', unit: 'ms', digits: 1 },
    { key: 'lost', title: 'holds lost' },
  ],
  when: 'named',
  maxRounds: 1,
  takesPart: ({ name }) => name === OURS,
  sizes: ({ quick }) => (quick ? [1000] : [1, 10, 100, 1000, 10_000, 100_000]),
  rowTitle: ({ title }, size) => `${title}, ${size.toLocaleString('en-US')} holds`,
  measure: (measurement) =>
    measureHeldLocks(measurement, { holds: measurement.size, renewedLease: LEASE_MS, watchMs: LEASE_MS }),
};
