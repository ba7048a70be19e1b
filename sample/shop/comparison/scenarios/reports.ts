import { setTimeout } from 'node:timers/promises';
import type { ShopClient } from '../../flash-sale/shop-client.js';
import { attemptOrder } from '../../flash-sale/order-attempt.js';
import { type ScenarioResult, counted, type ByLocking } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const WAREHOUSE = 'quiet';
const ORDERS = 80;
/** The pause between two reports of one reader. */
const PAUSE_MS = 20;

/** The orders that are placed meanwhile. */
type Orders = 'one after the other' | 'the flash sale';

/** Reports that were read while orders were placed. */
export interface ReportReadings {
  readonly orders: Orders;
  readonly reports: number;
  /** In how many reports sold and left did not add up to what was offered. */
  readonly unbalanced: number;
}

/** Reads reports in every process for as long as `work` goes on. */
export async function readReportsDuring<T>(
  { connect, processes }: RunningShop,
  orders: Orders,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly reading: ReportReadings }> {
  const seen: boolean[] = [];
  const ended = new AbortController();
  const read = async (reader: ShopClient): Promise<void> => {
    while (!ended.signal.aborted) {
      seen.push((await reader.inventory()).balances);
      await setTimeout(PAUSE_MS);
    }
  };
  const readers = Array.from({ length: processes }, connect);
  const readings = Promise.all(readers.map(read));
  try {
    const result = await work();
    ended.abort();
    await readings;
    const unbalanced = seen.filter((balances) => !balances).length;
    return { result, reading: { orders, reports: seen.length, unbalanced } };
  } finally {
    ended.abort();
    await Promise.allSettled([readings]);
    for (const reader of readers) reader[Symbol.dispose]();
  }
}

/** One buyer places all orders, so nothing is oversold: a report that does not balance has seen half an order. */
export async function buyOneByOne(shop: RunningShop): Promise<void> {
  using buyer = shop.connect();
  const articles = ['console', 'headset'];
  await buyer.restock(articles.map((sku) => ({ warehouse: WAREHOUSE, sku, stock: ORDERS })));
  const lines = articles.map((sku) => ({ sku, quantity: 1 }));
  for (let placed = 1; placed <= ORDERS; placed += 1) {
    const { outcome, reason } = await attemptOrder(buyer, { warehouse: WAREHOUSE, lines });
    if (outcome !== 'accepted') throw new Error(`An order was ${outcome}. ${reason}`);
  }
}

export function reportsResult(readings: ByLocking<ReportReadings>): ScenarioResult {
  const torn = readings.filter(([locking, { unbalanced }]) => locking !== 'off' && unbalanced > 0);
  return {
    title: 'The inventory report: with a read-write lock a report sees all of an order or nothing of it',
    columns: ['locks', 'orders', 'reports read', 'not balancing'],
    rows: readings.map(([locking, { orders, reports, unbalanced }]) => [locking, orders, reports, unbalanced]),
    remarks: [
      ...readings.filter(([locking]) => locking === 'off').map(([, reading]) => withoutLocks(reading)),
      ...(torn.length === 0 ? ['With locks every report balanced.'] : []),
    ],
    failures: torn.map(
      ([locking, { orders, unbalanced }]) =>
        `With locks ${locking}, orders ${orders}, ${counted(unbalanced, 'report')} did not balance.`,
    ),
  };
}

function withoutLocks({ orders, unbalanced }: ReportReadings): string {
  return orders === 'one after the other'
    ? `Without locks ${counted(unbalanced, 'report')} saw half an order although nothing was oversold,`
    : `and ${unbalanced} did not balance in the flash sale, partly because it oversold.`;
}
