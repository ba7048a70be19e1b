import type { StockLevel } from '../inventory/article.js';
import type { OrderRequest } from '../orders/order.js';

const CITIES = ['berlin', 'bergen', 'cork', 'graz', 'lisbon', 'lyon', 'malmo', 'porto', 'turin', 'utrecht'];

/** So many items in ten warehouses, whose orders need not wait for each other. */
export const offerOf = (items: number): readonly StockLevel[] =>
  CITIES.flatMap((warehouse) => [
    { warehouse, sku: 'console', stock: (items * 4) / 100 },
    { warehouse, sku: 'headset', stock: (items * 6) / 100 },
  ]);

/** What the buyers want, the same in every sale: two of three want one item, every third has a line for each article. */
export function wishes(buyers: number): readonly OrderRequest[] {
  return Array.from({ length: buyers }, (_, n) => {
    const one = Math.floor(n / CITIES.length) % 2 === 0 ? 'console' : 'headset';
    const wanted = n % 3 === 0 ? ['console', 'headset'] : [one];
    return { warehouse: CITIES[n % CITIES.length] ?? '', lines: wanted.map((sku) => ({ sku, quantity: 1 })) };
  });
}
