import { performance } from 'node:perf_hooks';
import type { StockLevel } from '../inventory/article.js';
import type { OrderRequest } from '../orders/order.js';
import type { ShopClient } from './shop-client.js';
import { type Visit, visit } from './visit.js';

/** Of the buyers who come in before the sale. */
const AT_A_TIME = 20;

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
      buyers.map(async ({ shop, wish }) => {
        const result = await visit(shop, wish);
        answered += 1;
        onAnswer?.(answered);
        return result;
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    return { offer, visits, left: (await keeper.inventory()).entries, seconds };
  } finally {
    for (const { shop } of buyers) shop[Symbol.dispose]();
  }
}

/**
 * Every buyer looks at the shelves, a few at a time. So all are connected before the sale begins, each process of the shop
 * has the same number of them, and none is slow because it has not yet worked.
 */
async function gather(buyers: readonly Buyer[]): Promise<void> {
  for (let first = 0; first < buyers.length; first += AT_A_TIME) {
    await Promise.all(buyers.slice(first, first + AT_A_TIME).map(({ shop }) => shop.inventory()));
  }
}
