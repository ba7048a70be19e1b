import type { OrderRequest } from '../orders/order.js';
import { articleKey, type StockLevel } from './article.js';
import { soldPerArticle } from './sold.js';

export interface InventoryEntry extends StockLevel {
  /** What the sale began with. */
  readonly offered: number;
  /** Counted from the orders, so it is right even where the stock is not. */
  readonly sold: number;
}

export interface InventoryReport {
  readonly entries: readonly InventoryEntry[];
  /** Whether each article that was offered is either sold or still there. */
  readonly balances: boolean;
}

export function inventoryReport(
  offered: readonly StockLevel[],
  stock: readonly StockLevel[],
  orders: readonly OrderRequest[],
): InventoryReport {
  const begun = new Map(offered.map((level) => [articleKey(level), level.stock]));
  const sold = soldPerArticle(orders);
  const entries = stock.map((level) => {
    const key = articleKey(level);
    return { ...level, offered: begun.get(key) ?? 0, sold: sold.get(key) ?? 0 };
  });
  return { entries, balances: entries.every((entry) => entry.offered === entry.stock + entry.sold) };
}
