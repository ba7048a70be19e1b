import { randomUUID } from 'node:crypto';
import { findRedis } from '../processes/find-redis.js';
import { isFree } from '../processes/free-port.js';
import { ShopProcesses } from '../processes/shop-processes.js';
import type { Locking, ShopSettings } from '../shop.settings.js';
import { type Chapter, counted } from './chapter.js';
import { Progress } from './progress.js';
import { Scene } from './scene.js';
import { serve } from './serving.js';
import { table } from './table.js';
import { threeShops, type Visit } from './three-shops.js';

const PROCESSES = 3;
/** So that one can watch the orders. */
const UNHURRIED_PAYMENT_MS = 200;

/** Tells what three shops showed, and then leaves one open; resolves with the exit code. */
export async function walk(once: boolean, settings: ShopSettings, interruption: AbortSignal): Promise<number> {
  if (!once && settings.port !== 0 && !(await isFree(settings.port))) {
    throw new Error(`Port ${settings.port} is taken; choose another with PORT.`);
  }
  const progress = new Progress();
  await using redis = await findRedis(process.env, settings.redisUrl);
  progress.step(redis.sentence);
  if (settings.databaseUrl === undefined)
    progress.step('PostgreSQL: none in DATABASE_URL, so nothing is sold on account.');
  const processes = redis.url === undefined ? 1 : PROCESSES;
  const open = async (of: Partial<ShopSettings> & { locking: Locking }): Promise<ShopProcesses> => {
    interruption.throwIfAborted();
    progress.step(`Locks ${of.locking}: opening a shop of ${counted(processes, 'process', 'processes')} …`);
    // Its own, so that shops do not meet each other, nor what one left that was killed.
    const keyPrefix = `${settings.keyPrefix}${randomUUID().slice(0, 8)}:`;
    return ShopProcesses.start({ ...settings, redisUrl: redis.url, keyPrefix, processes, port: 0, ...of });
  };
  const visit: Visit = async (locking, see) => {
    await using shop = await open({ locking });
    return await see(new Scene(locking, shop, progress, interruption));
  };

  const chapters = await threeShops(visit, processes, settings.databaseUrl !== undefined);
  chapters.forEach((chapter, n) => console.log(told(n + 1, chapter)));
  const complaints = chapters.flatMap((chapter) => chapter.complaints);
  for (const sentence of complaints) console.error(sentence);
  if (once) return complaints.length === 0 ? 0 : 1;

  const paymentMs = Math.max(settings.paymentMs, UNHURRIED_PAYMENT_MS);
  await using shop = await open({ locking: 'fair', paymentMs, port: settings.port });
  await serve(shop, paymentMs, interruption);
  return 0;
}

const told = (number: number, { title, head, rows, remarks }: Chapter): string =>
  ['', `${number}. ${title}`, '', table(head, rows), '', ...remarks].join('\n');
