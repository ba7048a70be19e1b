import { performance } from 'node:perf_hooks';
import type { StockLevel } from '../inventory/stock.store.js';
import type { OrderRequest } from '../orders/order.js';
import type { ShopClient } from './shop-client.js';

/** What one buyer experienced. */
interface Visit {
  readonly wish: OrderRequest;
  readonly outcome: 'accepted' | 'refused' | 'failed';
  readonly ms: number;
  readonly process: string;
  /** Of a failure. */
  readonly reason: string;
}

/** A sale as its buyers saw it, and what the shop believed to have left afterwards. */
export interface Sale {
  readonly offer: readonly StockLevel[];
  readonly visits: readonly Visit[];
  readonly left: readonly StockLevel[];
  readonly seconds: number;
}

/** Who wants what, with a connection to the shop. */
interface Buyer {
  readonly shop: ShopClient;
  readonly wish: OrderRequest;
}

/** A sale to come. */
export interface Announcement {
  readonly offer: readonly StockLevel[];
  readonly wishes: readonly OrderRequest[];
  /** A connection of its own for the shopkeeper and for every buyer. */
  readonly connect: () => ShopClient;
  readonly onAnswer?: (answered: number) => void;
}

/** Stocks the shop, lets all buyers order at the same moment, and looks at the shelves when the last one has left. */
export async function holdSale({ offer, wishes, connect, onAnswer }: Announcement): Promise<Sale> {
  using keeper = connect();
  await keeper.restock(offer);
  const buyers = wishes.map((wish) => ({ shop: connect(), wish }));
  try {
    await gather(buyers);
    const start = performance.now();
    let answered = 0;
    const visits = await Promise.all(
      buyers.map(async (buyer) => {
        const visit = await order(buyer);
        answered += 1;
        onAnswer?.(answered);
        return visit;
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    return { offer, visits, left: await keeper.inventory(), seconds };
  } finally {
    for (const { shop } of buyers) shop[Symbol.dispose]();
  }
}

/**
 * Every buyer looks at the shelves, one after the other. So all are connected before the sale begins, each process of
 * the shop has the same number of them, and none is slow because it has not yet worked.
 */
async function gather(buyers: readonly Buyer[]): Promise<void> {
  for (const { shop } of buyers) await shop.inventory();
}

async function order({ shop, wish }: Buyer): Promise<Visit> {
  const start = performance.now();
  const visit = (outcome: Visit['outcome'], process = 'none', reason = ''): Visit => {
    return { wish, outcome, ms: performance.now() - start, process, reason };
  };
  try {
    const { status, body, process } = await shop.order(wish);
    if (status === 201) return visit('accepted', process);
    if (status === 409) return visit('refused', process);
    return visit('failed', process, `${status} ${body}`);
  } catch (error) {
    return visit('failed', 'none', error instanceof Error ? error.message : String(error));
  }
}
