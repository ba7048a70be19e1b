import { randomUUID } from 'node:crypto';
import { findRedis } from '../processes/find-redis.js';
import { isFree } from '../processes/free-port.js';
import { figuresOf } from '../flash-sale/figures.js';
import { type SellWithoutLocks, ShopProcesses } from '../processes/shop-processes.js';
import type { Locking, ShopSettings } from '../shop.settings.js';
import { type ScenarioResult, counted } from './scenario-result.js';
import { Progress } from './progress.js';
import { RunningShop } from './running-shop.js';
import { keepOpen } from './keep-open.js';
import { table } from './table.js';
import { runFlashSale } from './scenarios/flash-sale.js';
import { runScenarios, type UseShop } from './run-scenarios.js';

const INTRODUCTION =
  'A shop sells 100 items to 400 buyers who all come at once: without locks, with locks, and with fair ones. Then it shows\n' +
  'five more uses of locks. That takes about 20 seconds.\n';
const PROCESSES = 3;
/** Slow enough to watch the orders. */
const SLOW_PAYMENT_MS = 200;

/** Runs the scenarios in three shops, prints the results, and keeps a shop open; resolves with the exit code. */
export async function compareLocking(
  once: boolean,
  settings: ShopSettings,
  interruption: AbortSignal,
): Promise<number> {
  if (!once && settings.port !== 0 && !(await isFree(settings.port))) {
    throw new Error(`Port ${settings.port} is taken; choose another with PORT.`);
  }
  const progress = new Progress();
  let isIntroduced = false;
  await using redis = await findRedis(process.env, settings.redisUrl);
  progress.step(redis.description);
  if (settings.databaseUrl === undefined)
    progress.step('PostgreSQL: none in DATABASE_URL, so there are no sales on account.');
  const processes = redis.url === undefined ? 1 : PROCESSES;
  const open = async (
    of: Partial<ShopSettings> & { locking: Locking },
    sellWithoutLocks?: SellWithoutLocks,
  ): Promise<ShopProcesses> => {
    interruption.throwIfAborted();
    progress.step(`Locks ${of.locking}: opening a shop of ${counted(processes, 'process', 'processes')} …`);
    // A prefix per shop: shops do not see each other's keys, nor the keys of one that was killed.
    const keyPrefix = `${settings.keyPrefix}${randomUUID().slice(0, 8)}:`;
    return ShopProcesses.start(
      { ...settings, redisUrl: redis.url, keyPrefix, processes, port: 0, ...of },
      sellWithoutLocks,
    );
  };
  const useShop: UseShop = async (locking, work) => {
    await using shop = await open({ locking });
    // Not before a shop is open: if none can be, the reason is all that is said.
    if (!isIntroduced) console.log(INTRODUCTION);
    isIntroduced = true;
    return await work(new RunningShop(locking, shop, progress, interruption));
  };

  const results = await runScenarios(useShop, processes, settings.databaseUrl !== undefined);
  results.forEach((result, n) => console.log(sectionOf(n + 1, result)));
  const failures = results.flatMap((result) => result.failures);
  for (const failure of failures) console.error(failure);
  if (once) return failures.length === 0 ? 0 : 1;

  const paymentMs = Math.max(settings.paymentMs, SLOW_PAYMENT_MS);
  const sellWithoutLocks: SellWithoutLocks = () => useShop('off', async (shop) => figuresOf(await runFlashSale(shop)));
  await using shop = await open({ locking: 'fair', paymentMs, port: settings.port }, sellWithoutLocks);
  await keepOpen(shop, paymentMs, interruption);
  return 0;
}

const sectionOf = (number: number, { title, columns, rows, remarks }: ScenarioResult): string =>
  ['', `${number}. ${title}`, '', table(columns, rows), '', ...remarks].join('\n');
