import type { StockLevel } from '../inventory/stock.store.js';
import type { OrderRequest } from '../orders/order.js';

/** 100 items in two warehouses, whose orders need not wait for each other. */
export const OFFER: readonly StockLevel[] = [
  { warehouse: 'berlin', sku: 'console', stock: 20 },
  { warehouse: 'berlin', sku: 'controller', stock: 30 },
  { warehouse: 'lyon', sku: 'console', stock: 20 },
  { warehouse: 'lyon', sku: 'headset', stock: 30 },
];

/** What the buyers want, the same in every sale: two of three want one item, every third has a line for each article. */
export function wishes(buyers: number): readonly OrderRequest[] {
  return Array.from({ length: buyers }, (_, n) => {
    const warehouse = n % 2 === 0 ? 'berlin' : 'lyon';
    const skus = OFFER.filter((level) => level.warehouse === warehouse).map(({ sku }) => sku);
    const wanted = n % 3 === 0 ? skus : skus.filter((_sku, index) => index === Math.floor(n / 2) % skus.length);
    return { warehouse, lines: wanted.map((sku) => ({ sku, quantity: 1 })) };
  });
}
