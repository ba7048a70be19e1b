import { setTimeout } from 'node:timers/promises';
import type { Snapshot, WarehouseState } from '../../dashboard/snapshot.js';
import type { ShopClient } from '../../flash-sale/shop-client.js';
import type { Order } from '../../orders/order.js';
import { type Chapter, counted, type Seen } from '../chapter.js';
import type { Scene } from '../scene.js';

const BUYERS = 60;
const WAREHOUSE = 'limited';
const LOOK_AGAIN_MS = 2;
const PATIENCE_MS = 10_000;

/** Buyers who stood in line before the sale began. */
export interface Line {
  /** How many were served after somebody who had come later. */
  readonly overtaken: number;
  /** The longest time that one of them waited from the opening on. */
  readonly longestMs: number;
}

/**
 * The warehouse is closed until all buyers stand in line. Each comes when the one before has been seen there, so there is
 * no doubt who came first; and the numbers of their orders tell in which order they were served.
 */
export async function standInLine(scene: Scene): Promise<Line> {
  using keeper = scene.connect();
  await keeper.restock([{ warehouse: WAREHOUSE, sku: 'console', stock: BUYERS }]);
  const doors = scene.connect();
  await doors.listen(`/inventory/${WAREHOUSE}/closed`);

  scene.announce(`${BUYERS} buyers stand in line, one after the other`);
  const orders: Promise<Order>[] = [];
  const buyers = Array.from({ length: BUYERS }, () => scene.connect());
  try {
    for (const buyer of buyers) {
      orders.push(buy(buyer));
      await untilWaiting(keeper, orders.length);
    }
    scene.announce('the sale begins');
    const start = performance.now();
    doors[Symbol.dispose]();
    const numbers = (await Promise.all(orders)).map(({ number }) => number);
    return { overtaken: overtaken(numbers), longestMs: performance.now() - start };
  } finally {
    for (const client of [...buyers, doors]) client[Symbol.dispose]();
    await Promise.allSettled(orders);
  }
}

/** How many of these numbers have a smaller one behind them. */
export const overtaken = (numbers: readonly number[]): number =>
  numbers.filter((number, place) => numbers.slice(place + 1).some((later) => later < number)).length;

export function fairnessChapter(lines: Seen<Line>, processes: number): Chapter {
  const unfair = lines.filter(([locking, line]) => locking === 'fair' && line.overtaken > 0);
  return {
    title: `First come, first served: ${BUYERS} buyers stand in line for one warehouse before it opens`,
    head: ['locks', 'buyers', 'overtaken by later ones', 'all served after ms'],
    rows: lines.map(([locking, line]) => [locking, BUYERS, line.overtaken, line.longestMs]),
    remarks: lines.map(([locking, line]) => remark(locking, line, processes)),
    complaints: unfair.map(
      ([, line]) => `With fair locks, ${counted(line.overtaken, 'buyer was', 'buyers were')} overtaken.`,
    ),
  };
}

function remark(locking: string, line: Line, processes: number): string {
  if (locking === 'fair')
    return `The fair lock served ${line.overtaken === 0 ? 'everybody' : 'not everybody'} in turn.`;
  if (line.overtaken > 0) return 'The unfair lock went to whichever process was the quickest.';
  return `The unfair lock kept the order as well this time${processes === 1 ? ': in one process it does' : ''}.`;
}

async function buy(buyer: ShopClient): Promise<Order> {
  const { status, body } = await buyer.order({ warehouse: WAREHOUSE, lines: [{ sku: 'console', quantity: 1 }] });
  if (status !== 201) throw new Error(`A buyer in line was answered ${status}: ${body}`);
  return JSON.parse(body) as Order;
}

async function untilWaiting(keeper: ShopClient, wanted: number): Promise<void> {
  const start = performance.now();
  let looks = 0;
  let seen: WarehouseState | undefined;
  while (performance.now() - start < PATIENCE_MS) {
    const { warehouses } = await keeper.read<Snapshot>('/status');
    seen = warehouses.find(({ warehouse }) => warehouse === WAREHOUSE);
    if (seen !== undefined && seen.waiting >= wanted) return;
    looks += 1;
    await setTimeout(LOOK_AGAIN_MS);
  }
  throw new Error(
    `The buyer with number ${wanted} does not stand in line after ${PATIENCE_MS / 1000} s; ` +
      `seen the last time of ${looks}: ${JSON.stringify(seen)}`,
  );
}
