import type { OrderRequest } from '../orders/order.js';
import { articleKey, type StockLevel } from './article.js';
import { soldPerArticle } from './sold.js';

export interface InventoryEntry extends StockLevel {
  /** The stock at the start of the sale. */
  readonly offered: number;
  /** Counted from the orders, so it is correct even if the stock is not. */
  readonly sold: number;
}

export interface InventoryReport {
  readonly entries: readonly InventoryEntry[];
  /** Whether sold and stock add up to what was offered, for each article. */
  readonly balances: boolean;
}

export function inventoryReport(
  offered: readonly StockLevel[],
  stock: readonly StockLevel[],
  orders: readonly OrderRequest[],
): InventoryReport {
  const initial = new Map(offered.map((level) => [articleKey(level), level.stock]));
  const sold = soldPerArticle(orders);
  const entries = stock.map((level) => {
    const key = articleKey(level);
    return { ...level, offered: initial.get(key) ?? 0, sold: sold.get(key) ?? 0 };
  });
  return { entries, balances: entries.every((entry) => entry.offered === entry.stock + entry.sold) };
}
