import type { StockLevel } from '../inventory/article.js';
import type { OrderRequest } from '../orders/order.js';

const CITIES = ['berlin', 'bergen', 'cork', 'graz', 'lisbon', 'lyon', 'malmo', 'porto', 'turin', 'utrecht'];

/** The stock of a sale, in ten warehouses; orders for different warehouses do not wait for each other. */
export const offerOf = (items: number): readonly StockLevel[] =>
  CITIES.flatMap((warehouse) => [
    { warehouse, sku: 'console', stock: (items * 4) / 100 },
    { warehouse, sku: 'headset', stock: (items * 6) / 100 },
  ]);

/** The orders of a sale, always the same: two of three buyers want one item, the third wants one of each article. */
export function orderRequests(buyers: number): readonly OrderRequest[] {
  return Array.from({ length: buyers }, (_, n) => {
    const one = Math.floor(n / CITIES.length) % 2 === 0 ? 'console' : 'headset';
    const wanted = n % 3 === 0 ? ['console', 'headset'] : [one];
    return { warehouse: CITIES[n % CITIES.length] ?? '', lines: wanted.map((sku) => ({ sku, quantity: 1 })) };
  });
}
