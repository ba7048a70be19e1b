import type { Locking } from '../shop.settings.js';
import type { Chapter } from './chapter.js';
import { fairnessChapter, standInLine } from './chapters/fairness.js';
import { flashSaleChapter, holdFlashSale } from './chapters/flash-sale.js';
import { paymentsChapter, readPayments } from './chapters/payments.js';
import { pickAndPack, pickingChapter } from './chapters/picking.js';
import { buyQuietly, readingReports, reportsChapter } from './chapters/reports.js';
import { readRuns, scheduleChapter } from './chapters/schedule.js';
import { sellOnAccount, transactionsChapter } from './chapters/transactions.js';
import type { Scene } from './scene.js';

/** Opens a shop, looks at it, and closes it. */
export type Visit = <T>(locking: Locking, see: (scene: Scene) => Promise<T>) => Promise<T>;

/**
 * One shop after the other: without locks, with unfair ones, with fair ones; then what they showed beside each other.
 * @param sellsOnAccount Whether the shops have a database for that.
 */
export async function threeShops(
  visit: Visit,
  processes: number,
  sellsOnAccount: boolean,
): Promise<readonly Chapter[]> {
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
    const sales = sellsOnAccount ? await sellOnAccount(scene) : undefined;
    return { quiet, busy, payments, line, picking, sales, runs: await readRuns(scene, 2) };
  });

  return [
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
    ...(fair.sales ? [transactionsChapter(fair.sales)] : []),
  ];
}
