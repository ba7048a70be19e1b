import { costEach, costOf } from '../../cost/cost.js';
import { OURS } from '../../libraries.js';
import { pin } from '../../set-up/pinning.js';
import { Worker } from '../../../test/servers/worker/worker.js';
import type { ShopTasks } from '../../workers/sample/shop-tasks.js';
import { CLIENT_CPU, SERVER_CPU } from '../cost-metrics.js';
import type { Scenario } from '../scenario.js';

const file = new URL('../../workers/sample/shop.worker.ts', import.meta.url);

const PLAIN = 1;
const FAIR = 2;
const NONE = 3;

const LOCKS: Readonly<Record<number, { readonly title: string; readonly locking: 'unfair' | 'fair' | 'off' }>> = {
  [PLAIN]: { title: 'plain locks', locking: 'unfair' },
  [FAIR]: { title: 'fair locks', locking: 'fair' },
  [NONE]: { title: 'no locks', locking: 'off' },
};

const kindOf = (size: number): { readonly title: string; readonly locking: 'unfair' | 'fair' | 'off' } => {
  const kind = LOCKS[size];
  if (kind === undefined) throw new Error(`There is no sale ${size}`);
  return kind;
};

export const flashSale: Scenario = {
  id: 'flash-sale',
  title: 'the flash sale of the sample, 3 processes',
  method:
    '400 buyers order at once, over HTTP, from three processes of the sample. An order takes the lock of its warehouse, ' +
    'one of ten, a permit of the payment gateway, and the lock of the books. After a sale that warms up, sales follow ' +
    'each other; their orders over their time. Client CPU is that of the shop.',
  metrics: [
    { key: 'perSecond', title: 'requests/s', best: 'highest' },
    { key: 'p50', title: 'p50', unit: 'ms', digits: 1, best: 'lowest' },
    { key: 'p99', title: 'p99', unit: 'ms', digits: 1, best: 'lowest' },
    CLIENT_CPU,
    SERVER_CPU,
    { key: 'oversold', title: 'oversold' },
    { key: 'failed', title: 'failed requests' },
  ],
  bars: [
    { text: 'plain over fair locks ≥ 1.1', metric: 'perSecond', size: PLAIN, over: { size: FAIR }, atLeast: 1.1 },
    { text: 'plain over no locks ≥ 0.75', metric: 'perSecond', size: PLAIN, over: { size: NONE }, atLeast: 0.75 },
    { text: 'nothing oversold with plain locks', metric: 'oversold', size: PLAIN, atMost: 0 },
    { text: 'nothing oversold with fair locks', metric: 'oversold', size: FAIR, atMost: 0 },
  ],
  // Four busy processes on one core would measure HTTP more than locks.
  placement: 'free',
  takesPart: ({ name }) => name === OURS,
  sizes: () => [PLAIN, FAIR, NONE],
  rowTitle: (_library, size) => kindOf(size).title,
  measure: async ({ world, size }) => {
    const { node, core } = world.launch;
    await using worker = await Worker.start<ShopTasks>(file, { node });
    if (core !== undefined) pin(worker.pid, core);
    await worker.call('open', { redisUrl: world.server.url, locking: kindOf(size).locking });
    const shop = { cpuTime: () => worker.call('cpuTime') };
    const [{ requests, ...sale }, cost] = await costOf({ observer: world.observer, clients: [shop] }, () =>
      worker.call('sell', { ms: world.settings.ms / 2 }),
    );
    await worker.call('close');
    const { clientCpu, serverCpu } = costEach(cost, requests);
    return { ...sale, clientCpu, serverCpu };
  },
};
