import type { OrderRequest } from '../orders/order.js';
import { articleKey } from './article.js';

/** How many of each article these orders take, by article key. */
export function soldPerArticle(orders: readonly OrderRequest[]): ReadonlyMap<string, number> {
  const sold = new Map<string, number>();
  for (const { warehouse, lines } of orders) {
    for (const { sku, quantity } of lines) {
      const key = articleKey({ warehouse, sku });
      sold.set(key, (sold.get(key) ?? 0) + quantity);
    }
  }
  return sold;
}
