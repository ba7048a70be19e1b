import { ACQUISITIONS, FAULTS, FEWEST, HAND_OVER_P50, HAND_OVER_P99, MOST } from './contention-metrics.js';
import { CLIENT_CPU, COMMANDS, SCRIPTS, SERVER_CPU, SERVER_TIME, SUBSCRIPTIONS } from './cost-metrics.js';
import { contendForOneLock } from './one-lock.js';
import type { Bar, Scenario } from './scenario.js';

const SECTION_MS = 3;
const SIZES = [2, 8, 32, 128];
const FEWEST_CLIENTS = 2;
/** More would measure the processes instead of the locks. */
const MOST_PROCESSES = 4;

const scripts = (size: number): Bar => ({
  ...{ text: `scripts per acquisition with ${size} clients ≤ 3`, metric: 'scripts', atMost: 3, size },
});

const flat = (size: number): Bar => ({
  ...{ text: `acquisitions/s with ${size} clients over those with ${FEWEST_CLIENTS} ≥ 0.9`, metric: 'perSecond' },
  ...{ over: { size: FEWEST_CLIENTS }, atLeast: 0.9, size },
});

const served = (size: number): Bar => ({
  ...{ text: `no client of ${size} unserved`, metric: 'unserved', atMost: 0, size },
});

export const herd: Scenario = {
  id: 'herd',
  title: `2 to 128 clients on one lock, ${SECTION_MS} ms section`,
  method:
    'Each client has connections and an id of its own, as a process of an application has, and runs one loop; up to ' +
    `${MOST_PROCESSES} processes have the same number of clients each. The holder sleeps by a timer of ${SECTION_MS} ms. ` +
    'Redisson takes no part: each client would need a JVM.',
  metrics: [
    SCRIPTS,
    ACQUISITIONS,
    FEWEST,
    MOST,
    SUBSCRIPTIONS,
    COMMANDS,
    HAND_OVER_P50,
    HAND_OVER_P99,
    CLIENT_CPU,
    SERVER_TIME,
    SERVER_CPU,
    ...FAULTS,
  ],
  bars: [
    ...SIZES.map(scripts),
    ...SIZES.filter((size) => size !== FEWEST_CLIENTS).map(flat),
    ...SIZES.map(served),
    { text: 'no overlaps', metric: 'overlaps', atMost: 0, size: 128 },
  ],
  when: 'each-node',
  takesPart: ({ waiting, runtime }) => waiting !== 'none' && runtime === 'node',
  sizes: () => SIZES,
  rowTitle: ({ title }, size) => `${title}, ${size} clients`,
  measure: (measurement) => {
    const processes = Math.min(MOST_PROCESSES, measurement.size);
    const loopsEach = measurement.size / processes;
    return contendForOneLock(measurement, { processes, loopsEach, sectionMs: SECTION_MS, ownClients: true });
  },
};
