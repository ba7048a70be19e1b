import { setTimeout } from 'node:timers/promises';
import type { ShopClient } from '../../flash-sale/shop-client.js';
import { visit } from '../../flash-sale/visit.js';
import { type Chapter, counted, type Seen } from '../chapter.js';
import type { Scene } from '../scene.js';

const WAREHOUSE = 'quiet';
const ORDERS = 80;
/** Between two reports of one reader. */
const PAUSE_MS = 20;

/** What is ordered meanwhile. */
type Orders = 'one after the other' | 'the flash sale';

/** Reports that were read while orders were placed. */
export interface Reading {
  readonly orders: Orders;
  readonly reports: number;
  /** In how many of them what is sold and what is left did not make what was offered. */
  readonly unbalanced: number;
}

/** Reads reports in every process for as long as `work` goes on. */
export async function readingReports<T>(
  { connect, processes }: Scene,
  orders: Orders,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly reading: Reading }> {
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

/** One buyer orders again and again: nothing is oversold then, so what does not balance is half an order. */
export async function buyQuietly(scene: Scene): Promise<void> {
  using buyer = scene.connect();
  const articles = ['console', 'headset'];
  await buyer.restock(articles.map((sku) => ({ warehouse: WAREHOUSE, sku, stock: ORDERS })));
  const lines = articles.map((sku) => ({ sku, quantity: 1 }));
  for (let placed = 1; placed <= ORDERS; placed += 1) {
    const { outcome, reason } = await visit(buyer, { warehouse: WAREHOUSE, lines });
    if (outcome !== 'accepted') throw new Error(`An order was ${outcome}. ${reason}`);
  }
}

export function reportsChapter(readings: Seen<Reading>): Chapter {
  const torn = readings.filter(([locking, { unbalanced }]) => locking !== 'off' && unbalanced > 0);
  return {
    title: 'The inventory report: a read-write lock, so that a report sees all of an order or nothing of it',
    head: ['locks', 'orders', 'reports read', 'not balancing'],
    rows: readings.map(([locking, { orders, reports, unbalanced }]) => [locking, orders, reports, unbalanced]),
    remarks: [
      ...readings.filter(([locking]) => locking === 'off').map(([, reading]) => withoutLocks(reading)),
      ...(torn.length === 0 ? ['With locks every report balanced.'] : []),
    ],
    complaints: torn.map(
      ([locking, { orders, unbalanced }]) =>
        `With locks ${locking}, orders ${orders}, ${counted(unbalanced, 'report')} did not balance.`,
    ),
  };
}

function withoutLocks({ orders, unbalanced }: Reading): string {
  return orders === 'one after the other'
    ? `Without locks ${counted(unbalanced, 'report')} saw half an order of a shop that oversold nothing,`
    : `and ${unbalanced} did not balance in the flash sale, also since it oversold.`;
}
