import { performance } from 'node:perf_hooks';
import type { Order } from '../../orders/order.js';
import type { Parcel } from '../../warehouse/packing.service.js';
import { type ScenarioResult, counted } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const WAREHOUSE = 'depot';
const ORDERS = 12;
const ARTICLES = ['cable', 'camera', 'console', 'controller', 'headset', 'stand'];

/** Orders with several lines, and their parcels. */
export interface Picking {
  readonly orders: readonly Order[];
  readonly parcels: readonly Parcel[];
  readonly ms: number;
}

export async function pickAndPack(shop: RunningShop): Promise<Picking> {
  shop.announce(`${ORDERS} orders of ${ARTICLES.length} lines are picked and packed`);
  using manager = shop.connect();
  await manager.restock(ARTICLES.map((sku) => ({ warehouse: WAREHOUSE, sku, stock: ORDERS })));
  const lines = ARTICLES.map((sku) => ({ sku, quantity: 1 }));
  const clients = Array.from({ length: ORDERS }, shop.connect);
  try {
    const answers = await Promise.all(clients.map((client) => client.order({ warehouse: WAREHOUSE, lines })));
    const orders = answers.map(({ body }) => JSON.parse(body) as Order);
    const start = performance.now();
    const parcels = await Promise.all(
      clients.map((client, n) => client.put<Parcel>(`/orders/${orders[n]?.id}/parcel`)),
    );
    return { orders, parcels, ms: performance.now() - start };
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
}

export function pickingResult({ orders, parcels, ms }: Picking): ScenarioResult {
  const lines = parcels.flatMap((parcel) => parcel.lines);
  const pickers = [...new Set(lines.map(({ pickedBy }) => pickedBy))].toSorted((a, b) => a - b);
  const shares = pickers.map((picker) => lines.filter(({ pickedBy }) => pickedBy === picker).length);
  const mixed = parcels.filter((parcel) => new Set(parcel.lines.map(({ pickedBy }) => pickedBy)).size > 1);
  const incomplete = orders.filter((order) => !isComplete(order, parcels));
  return {
    title: 'The warehouse: pickers in all processes fetch the lines of an order, which is packed once a latch opens',
    columns: ['orders', 'parcels', 'lines', 'picked by each process', 'parcels from several', 'incomplete', 'ms'],
    rows: [[orders.length, parcels.length, lines.length, shares.join(' + '), mixed.length, incomplete.length, ms]],
    remarks: incomplete.length === 0 ? ['No parcel was packed before its last line was picked.'] : [],
    failures:
      incomplete.length === 0 ? [] : [`${counted(incomplete.length, 'parcel was', 'parcels were')} packed too early.`],
  };
}

const isComplete = (order: Order, parcels: readonly Parcel[]): boolean => {
  const parcel = parcels.find(({ orderId }) => orderId === order.id);
  return order.lines.every((line) =>
    parcel?.lines.some(({ sku, quantity }) => sku === line.sku && quantity === line.quantity),
  );
};
