import cluster from 'node:cluster';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as SaleFigures from '../../../sample/shop/flash-sale/figures.js';
import type * as Offers from '../../../sample/shop/flash-sale/offer.js';
import type * as Sales from '../../../sample/shop/flash-sale/sale.js';
import type * as Clients from '../../../sample/shop/flash-sale/shop-client.js';
import type * as Shops from '../../../sample/shop/processes/shop-processes.js';
import { serve } from '../../../test/servers/worker/worker-host.js';
import { cpuTime } from '../../cost/cpu-time.js';
import { percentile } from '../../figures/statistics.js';
import type { SalesDone, ShopTasks } from './shop-tasks.js';

// As the sample has them.
const PROCESSES = 3;
const BUYERS = 400;
const ITEMS = 100;
const PAYMENT_MS = 5;

const MS_PER_S = 1000;
const US_PER_MS = 1000;

/** Loads a file of the built sample: its processes run without the loader of TypeScript. */
function load(file: string): unknown {
  return createRequire(import.meta.url)(fileURLToPath(new URL(`../../../dist/sample/shop/${file}`, import.meta.url)));
}

const { ShopProcesses } = load('processes/shop-processes.js') as typeof Shops;
const { ShopClient } = load('flash-sale/shop-client.js') as typeof Clients;
const { runSale } = load('flash-sale/sale.js') as typeof Sales;
const { offerOf, orderRequests } = load('flash-sale/offer.js') as typeof Offers;
const { figuresOf } = load('flash-sale/figures.js') as typeof SaleFigures;

let opened: Shops.ShopProcesses | undefined;

function sell(): Promise<Sales.Sale> {
  const shop = opened;
  if (shop === undefined) throw new Error('The shop is closed');
  return runSale({
    offer: offerOf(ITEMS),
    requests: orderRequests(BUYERS),
    connect: () => new ShopClient(shop.url),
  });
}

async function sellFor(ms: number): Promise<SalesDone> {
  const sales: Sales.Sale[] = [];
  let seconds = 0;
  while (seconds * MS_PER_S < ms) {
    const sale = await sell();
    sales.push(sale);
    seconds += sale.seconds;
  }
  const figures = sales.map(figuresOf);
  const latencies = sales.flatMap(({ attempts }) => attempts.map((attempt) => attempt.ms));
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    oversold: figures.reduce((sum, { oversold }) => sum + oversold, 0),
    failed: figures.reduce((sum, { failed }) => sum + failed, 0),
  };
}

const tasks: ShopTasks = {
  open: async ({ redisUrl, locking }) => {
    opened = await ShopProcesses.start({
      ...{
        locking,
        redisUrl,
        lockDriver: undefined,
        databaseUrl: undefined,
        keyPrefix: `bench:${process.pid}:`,
        paymentMs: PAYMENT_MS,
      },
      ...{ port: 0, processes: PROCESSES, processNumber: 1 },
    });
    await sell();
  },
  sell: ({ ms }) => sellFor(ms),
  cpuTime: () => {
    const pids = Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
    return pids.reduce((sum, pid) => sum + cpuTime(pid), 0) * US_PER_MS;
  },
  close: async () => {
    await opened?.[Symbol.asyncDispose]();
    opened = undefined;
  },
};

serve(tasks);
