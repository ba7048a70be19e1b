import { randomUUID } from 'node:crypto';
import { findRedis } from '../processes/find-redis.js';
import { isFree } from '../processes/free-port.js';
import { ShopProcesses } from '../processes/shop-processes.js';
import type { Locking, ShopSettings } from '../shop.settings.js';
import { type Chapter, counted } from './chapter.js';
import { fairnessChapter, standInLine } from './chapters/fairness.js';
import { flashSaleChapter, holdFlashSale } from './chapters/flash-sale.js';
import { paymentsChapter, readPayments } from './chapters/payments.js';
import { pickAndPack, pickingChapter } from './chapters/picking.js';
import { buyQuietly, readingReports, reportsChapter } from './chapters/reports.js';
import { readRuns, scheduleChapter } from './chapters/schedule.js';
import { Progress } from './progress.js';
import { Scene } from './scene.js';
import { serve } from './serving.js';
import { table } from './table.js';

const PROCESSES = 3;
/** So that one can watch the orders. */
const UNHURRIED_PAYMENT_MS = 200;

/** Three shops, one after the other: without locks, with unfair ones, with fair ones. Then the last one is opened for all. */
export async function walk(once: boolean, settings: ShopSettings, interruption: AbortSignal): Promise<number> {
  if (!once && settings.port !== 0 && !(await isFree(settings.port))) {
    throw new Error(`Port ${settings.port} is taken; choose another with PORT.`);
  }
  const progress = new Progress();
  await using redis = await findRedis(process.env, settings.redisUrl);
  progress.step(redis.sentence);
  const processes = redis.url === undefined ? 1 : PROCESSES;
  const open = async (of: Partial<ShopSettings> & { locking: Locking }): Promise<ShopProcesses> => {
    interruption.throwIfAborted();
    progress.step(`Locks ${of.locking}: opening a shop of ${counted(processes, 'process', 'processes')} …`);
    const keyPrefix = `${settings.keyPrefix}${randomUUID().slice(0, 8)}:`;
    return ShopProcesses.start({ ...settings, redisUrl: redis.url, keyPrefix, processes, port: 0, ...of });
  };
  const visit = async <T>(locking: Locking, see: (scene: Scene) => Promise<T>): Promise<T> => {
    await using shop = await open({ locking });
    return await see(new Scene(locking, shop, progress, interruption));
  };

  const off = await visit('off', async (scene) => {
    const quiet = await readingReports(scene, 'one after the other', () => buyQuietly(scene));
    const busy = await readingReports(scene, 'the flash sale', () => holdFlashSale(scene));
    return { quiet, busy, payments: await readPayments(scene), runs: await readRuns(scene, 1) };
  });
  const unfair = await visit('unfair', async (scene) => {
    const busy = await readingReports(scene, 'the flash sale', () => holdFlashSale(scene));
    return { busy, payments: await readPayments(scene), line: await standInLine(scene) };
  });
  const fair = await visit('fair', async (scene) => {
    const quiet = await readingReports(scene, 'one after the other', () => buyQuietly(scene));
    const busy = await readingReports(scene, 'the flash sale', () => holdFlashSale(scene));
    const payments = await readPayments(scene);
    const line = await standInLine(scene);
    const picking = await pickAndPack(scene);
    return { quiet, busy, payments, line, picking, runs: await readRuns(scene, 2) };
  });

  const chapters = [
    flashSaleChapter([
      ['off', off.busy.result],
      ['unfair', unfair.busy.result],
      ['fair', fair.busy.result],
    ]),
    fairnessChapter(
      [
        ['unfair', unfair.line],
        ['fair', fair.line],
      ],
      processes,
    ),
    reportsChapter([
      ['off', off.quiet.reading],
      ['fair', fair.quiet.reading],
      ['off', off.busy.reading],
      ['unfair', unfair.busy.reading],
      ['fair', fair.busy.reading],
    ]),
    paymentsChapter([
      ['off', off.payments],
      ['unfair', unfair.payments],
      ['fair', fair.payments],
    ]),
    pickingChapter(fair.picking),
    scheduleChapter(
      [
        ['off', off.runs],
        ['fair', fair.runs],
      ],
      processes,
    ),
  ];
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
