import { performance } from 'node:perf_hooks';
import type { StockLevel } from '../inventory/article.js';
import type { OrderRequest } from '../orders/order.js';
import type { ShopClient } from './shop-client.js';
import { type OrderAttempt, attemptOrder } from './order-attempt.js';

/** How many buyers connect at a time. */
const AT_A_TIME = 20;

/** A sale: the attempts of all buyers, and the stock that the shop shows afterwards. */
export interface Sale {
  readonly offer: readonly StockLevel[];
  readonly attempts: readonly OrderAttempt[];
  readonly left: readonly StockLevel[];
  readonly seconds: number;
}

/** A buyer's wish and connection. */
interface Buyer {
  readonly shop: ShopClient;
  readonly request: OrderRequest;
}

/** The plan of a sale. */
export interface SalePlan {
  readonly offer: readonly StockLevel[];
  readonly requests: readonly OrderRequest[];
  /** Opens a connection, for the manager and for each buyer. */
  readonly connect: () => ShopClient;
  readonly onAnswer?: (answered: number) => void;
}

/** Stocks the shop, lets all buyers order at once, and reads the stock after the last answer. */
export async function runSale({ offer, requests, connect, onAnswer }: SalePlan): Promise<Sale> {
  using manager = connect();
  await manager.restock(offer);
  const buyers = requests.map((request) => ({ shop: connect(), request }));
  try {
    await connectAll(buyers);
    const start = performance.now();
    let answered = 0;
    const attempts = await Promise.all(
      buyers.map(async ({ shop, request }) => {
        const result = await attemptOrder(shop, request);
        answered += 1;
        onAnswer?.(answered);
        return result;
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    return { offer, attempts, left: (await manager.inventory()).entries, seconds };
  } finally {
    for (const { shop } of buyers) shop[Symbol.dispose]();
  }
}

/**
 * Each buyer reads the inventory, a few at a time. So all are connected before the sale begins, evenly spread over the
 * processes of the shop, and each process is warmed up.
 */
async function connectAll(buyers: readonly Buyer[]): Promise<void> {
  for (let first = 0; first < buyers.length; first += AT_A_TIME) {
    await Promise.all(buyers.slice(first, first + AT_A_TIME).map(({ shop }) => shop.inventory()));
  }
}
