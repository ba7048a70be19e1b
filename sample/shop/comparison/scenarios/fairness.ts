import { setTimeout } from 'node:timers/promises';
import type { Snapshot, WarehouseState } from '../../dashboard/snapshot.js';
import type { ShopClient } from '../../flash-sale/shop-client.js';
import type { Order } from '../../orders/order.js';
import { type ScenarioResult, counted, type ByLocking } from '../scenario-result.js';
import type { RunningShop } from '../running-shop.js';

const BUYERS = 60;
const WAREHOUSE = 'limited';
const POLL_MS = 2;
const TIMEOUT_MS = 10_000;

/** How the buyers were served who queued before the warehouse opened. */
export interface QueueOutcome {
  /** How many were served after a buyer who came later. */
  readonly overtaken: number;
  /** The longest wait of a buyer, from the opening on. */
  readonly longestMs: number;
}

/**
 * The warehouse is closed until all buyers wait. Each comes once the previous one is seen in the queue, so the order of
 * arrival is known; the numbers of the orders are the order of service.
 */
export async function queueBuyers(shop: RunningShop): Promise<QueueOutcome> {
  using manager = shop.connect();
  await manager.restock([{ warehouse: WAREHOUSE, sku: 'console', stock: BUYERS }]);
  const closure = shop.connect();
  await closure.listen(`/inventory/${WAREHOUSE}/closed`);

  shop.announce(`${BUYERS} buyers queue, one after the other`);
  const orders: Promise<Order>[] = [];
  const buyers = Array.from({ length: BUYERS }, () => shop.connect());
  try {
    for (const buyer of buyers) {
      orders.push(buy(buyer));
      await untilWaiting(manager, orders.length);
    }
    shop.announce('the sale begins');
    const start = performance.now();
    closure[Symbol.dispose]();
    const numbers = (await Promise.all(orders)).map(({ number }) => number);
    return { overtaken: overtaken(numbers), longestMs: performance.now() - start };
  } finally {
    for (const client of [...buyers, closure]) client[Symbol.dispose]();
    await Promise.allSettled(orders);
  }
}

/** How many of these numbers come before a smaller one. */
export const overtaken = (numbers: readonly number[]): number =>
  numbers.filter((number, place) => numbers.slice(place + 1).some((later) => later < number)).length;

export function fairnessResult(lines: ByLocking<QueueOutcome>, processes: number): ScenarioResult {
  const unfair = lines.filter(([locking, line]) => locking === 'fair' && line.overtaken > 0);
  return {
    title: `First come, first served: ${BUYERS} buyers queue for one warehouse before it opens`,
    columns: ['locks', 'buyers', 'overtaken by later ones', 'all served after ms'],
    rows: lines.map(([locking, line]) => [locking, BUYERS, line.overtaken, line.longestMs]),
    remarks: lines.map(([locking, line]) => remark(locking, line, processes)),
    failures: unfair.map(
      ([, line]) => `With fair locks, ${counted(line.overtaken, 'buyer was', 'buyers were')} overtaken.`,
    ),
  };
}

function remark(locking: string, line: QueueOutcome, processes: number): string {
  if (locking === 'fair')
    return `The fair lock ${line.overtaken === 0 ? 'served all buyers' : 'did not serve all buyers'} in the order of arrival.`;
  if (line.overtaken > 0) return 'The unfair lock went to the quickest process.';
  return `The unfair lock kept the order as well this time${processes === 1 ? ': in one process it does' : ''}.`;
}

async function buy(buyer: ShopClient): Promise<Order> {
  const { status, body } = await buyer.order({ warehouse: WAREHOUSE, lines: [{ sku: 'console', quantity: 1 }] });
  if (status !== 201) throw new Error(`A waiting buyer got the answer ${status}: ${body}`);
  return JSON.parse(body) as Order;
}

async function untilWaiting(manager: ShopClient, wanted: number): Promise<void> {
  const start = performance.now();
  let looks = 0;
  let seen: WarehouseState | undefined;
  while (performance.now() - start < TIMEOUT_MS) {
    const { warehouses } = await manager.read<Snapshot>('/status');
    seen = warehouses.find(({ warehouse }) => warehouse === WAREHOUSE);
    if (seen !== undefined && seen.waiting >= wanted) return;
    looks += 1;
    await setTimeout(POLL_MS);
  }
  throw new Error(
    `Buyer ${wanted} is not in the queue after ${TIMEOUT_MS / 1000} s; ` +
      `last of ${looks} looks: ${JSON.stringify(seen)}`,
  );
}
