import type { Locking } from '../shop.settings.js';
import type { ScenarioResult } from './scenario-result.js';
import { fairnessResult, queueBuyers } from './scenarios/fairness.js';
import { flashSaleResult, runFlashSale } from './scenarios/flash-sale.js';
import { paymentsResult, readPayments } from './scenarios/payments.js';
import { pickAndPack, pickingResult } from './scenarios/picking.js';
import { buyOneByOne, readReportsDuring, reportsResult } from './scenarios/reports.js';
import { readReportRuns, scheduleResult } from './scenarios/schedule.js';
import { sellOnAccount, transactionsResult } from './scenarios/transactions.js';
import type { RunningShop } from './running-shop.js';

/** Opens a shop, runs `work`, and closes the shop. */
export type UseShop = <T>(locking: Locking, work: (shop: RunningShop) => Promise<T>) => Promise<T>;

/**
 * Runs the scenarios without locks, with unfair ones and with fair ones, in one shop after the other.
 * @param sellsOnAccount Whether there is a database for sales on account.
 */
export async function runScenarios(
  useShop: UseShop,
  processes: number,
  sellsOnAccount: boolean,
): Promise<readonly ScenarioResult[]> {
  const off = await useShop('off', async (shop) => {
    const quiet = await readReportsDuring(shop, 'one after the other', () => buyOneByOne(shop));
    const busy = await readReportsDuring(shop, 'the flash sale', () => runFlashSale(shop));
    return { quiet, busy, payments: await readPayments(shop), runs: await readReportRuns(shop, 1) };
  });
  const unfair = await useShop('unfair', async (shop) => {
    const busy = await readReportsDuring(shop, 'the flash sale', () => runFlashSale(shop));
    return { busy, payments: await readPayments(shop), line: await queueBuyers(shop) };
  });
  const fair = await useShop('fair', async (shop) => {
    const quiet = await readReportsDuring(shop, 'one after the other', () => buyOneByOne(shop));
    const busy = await readReportsDuring(shop, 'the flash sale', () => runFlashSale(shop));
    const payments = await readPayments(shop);
    const line = await queueBuyers(shop);
    const picking = await pickAndPack(shop);
    const sales = sellsOnAccount ? await sellOnAccount(shop) : undefined;
    return { quiet, busy, payments, line, picking, sales, runs: await readReportRuns(shop, 2) };
  });

  return [
    flashSaleResult([
      ['off', off.busy.result],
      ['unfair', unfair.busy.result],
      ['fair', fair.busy.result],
    ]),
    fairnessResult(
      [
        ['unfair', unfair.line],
        ['fair', fair.line],
      ],
      processes,
    ),
    reportsResult([
      ['off', off.quiet.reading],
      ['fair', fair.quiet.reading],
      ['off', off.busy.reading],
      ['unfair', unfair.busy.reading],
      ['fair', fair.busy.reading],
    ]),
    paymentsResult([
      ['off', off.payments],
      ['unfair', unfair.payments],
      ['fair', fair.payments],
    ]),
    pickingResult(fair.picking),
    scheduleResult(
      [
        ['off', off.runs],
        ['fair', fair.runs],
      ],
      processes,
    ),
    ...(fair.sales ? [transactionsResult(fair.sales)] : []),
  ];
}
