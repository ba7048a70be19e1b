import { setMaxListeners } from 'node:events';
import { CommandLineError, readCommandLine } from './command-line.js';
import { OFFER, wishes } from './flash-sale/offer.js';
import { Progress } from './flash-sale/progress.js';
import { report } from './flash-sale/report.js';
import { holdSale, type Sale } from './flash-sale/sale.js';
import { ShopClient } from './flash-sale/shop-client.js';
import { complaints } from './flash-sale/verdict.js';
import { findRedis } from './processes/find-redis.js';
import { isFree } from './processes/free-port.js';
import { ShopProcesses } from './processes/shop-processes.js';
import { serve } from './serving.js';
import { readSettings, SettingsError, type ShopSettings } from './shop.settings.js';

const BUYERS = 400;
const PROCESSES = 3;
const INTERRUPTED = 130;

const progress = new Progress();

/** A shop without locks, the same shop with locks, one table: then the second one stays open. */
async function walk(once: boolean, settings: ShopSettings, interruption: AbortSignal): Promise<number> {
  const port = once ? 0 : settings.port;
  if (port !== 0 && !(await isFree(port))) throw new Error(`Port ${port} is taken; choose another with PORT.`);
  await using redis = await findRedis(process.env, settings.redisUrl);
  progress.step(redis.sentence);
  const open = async (locking: boolean, at: number): Promise<ShopProcesses> => {
    interruption.throwIfAborted();
    const processes = redis.url === undefined ? 1 : PROCESSES;
    progress.step(`Locks ${locking ? 'on' : 'off'}: opening a shop of ${counted(processes)} …`);
    return ShopProcesses.start(processes, { ...settings, redisUrl: redis.url, locking, port: at });
  };

  const off = await saleWithoutLocks(() => open(false, 0), interruption);
  await using shop = await open(true, port);
  const on = await sell('Locks on', shop, interruption);

  console.log(`\n${BUYERS} orders at the same moment for 100 items, to a shop of ${counted(shop.size)}:\n`);
  console.log(report(off, on));
  const wrong = complaints(off, on);
  for (const sentence of wrong) console.error(sentence);
  if (once) return wrong.length === 0 ? 0 : 1;

  await serve(shop, interruption);
  return 0;
}

async function saleWithoutLocks(open: () => Promise<ShopProcesses>, interruption: AbortSignal): Promise<Sale> {
  await using shop = await open();
  return await sell('Locks off', shop, interruption);
}

async function sell(title: string, shop: ShopProcesses, interruption: AbortSignal): Promise<Sale> {
  interruption.throwIfAborted();
  progress.step(`${title}: ${BUYERS} buyers come in …`);
  return await holdSale({
    offer: OFFER,
    wishes: wishes(BUYERS),
    connect: () => new ShopClient(shop.url, interruption),
    onAnswer: (answered) => progress.count(`${title}: orders answered`, answered, BUYERS),
  });
}

const counted = (processes: number): string => (processes === 1 ? 'one process' : `${processes} processes`);

async function main(): Promise<number> {
  const interruption = new AbortController();
  setMaxListeners(0, interruption.signal); // one for every request
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
  try {
    const { once } = readCommandLine(process.argv.slice(2));
    return await walk(once, readSettings(process.env), interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    console.error(error instanceof Error ? error.message : error);
    return error instanceof CommandLineError || error instanceof SettingsError ? 2 : 1;
  }
}

process.exitCode = await main();
