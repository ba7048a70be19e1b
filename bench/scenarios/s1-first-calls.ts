import type { Metric, Scenario } from './scenario.js';

const PAIRS = 5000;
const NO_LIMIT_MS = 60_000;

const P50: Metric = { key: 'p50', title: 'p50', unit: 'µs', best: 'lowest', overLimit: true };

/** Rows of the table: their numbers are the sizes. */
const CORES = [
  { title: 'server on another core', atMost: 1.2 },
  { title: 'server on the same core', atMost: 1.25 },
];

export const firstCalls: Scenario = {
  id: 'S1-first',
  title: `the first ${PAIRS.toLocaleString('en')} pairs of a process`,
  method:
    'As S1, in a new process that has only connected, while V8 compiles the code. The mean is above the median by the ' +
    'first hundreds of pairs.',
  metrics: [
    P50,
    { key: 'mean', title: 'mean', unit: 'µs', best: 'lowest', overLimit: true },
    { key: 'first', title: 'first pair', unit: 'ms', digits: 1, best: 'lowest' },
  ],
  bars: CORES.map(({ title, atMost }, size) => ({
    text: `p50 over the raw pair, ${title} ≤ ${atMost.toFixed(2)}`,
    ...{ metric: P50.key, over: 'limit', atMost, size },
  })),
  placement: 'pinned',
  when: 'each-node',
  takesPart: ({ runtime }) => runtime === 'node',
  sizes: () => CORES.map((_, size) => size),
  rowTitle: ({ title }, size) => `${title}, ${CORES[size]?.title}`,
  measure: async ({ world, library, key, size }) => {
    const { host, port } = world.server;
    const participant = await library.start({ host, port }, {}, { ...world.launch, isCold: true });
    try {
      const pairs = () => participant.ask('pairs', { key, warmUpMs: 0, ms: NO_LIMIT_MS, count: PAIRS });
      const { p50, mean = Number.NaN, first = Number.NaN } = await (size === 0 ? pairs() : world.onOneCore(pairs));
      return { p50, mean, first };
    } finally {
      await participant.stop();
    }
  },
};
