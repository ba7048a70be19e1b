import { Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import type { Order, OrderRequest } from '../orders/order.js';
import { type Article, articleKey, articleOf, type StockLevel } from './article.js';
import { type InventoryReport, inventoryReport } from './inventory-report.js';
import { OrderBook } from './order-book.js';
import { StockStore } from './stock.store.js';

/**
 * The books of the shop. A sale is written in several steps, and a report is read in several: by itself this lets a report
 * see half a sale.
 */
@Injectable()
export class Ledger {
  constructor(
    private readonly stock: StockStore,
    private readonly orders: OrderBook,
    private readonly data: ShopData,
  ) {}

  stockOf(article: Article): Promise<number> {
    return this.stock.read(article);
  }

  orderOf(id: string): Promise<Order | undefined> {
    return this.orders.find(id);
  }

  /** Enters an order and what it leaves in stock. */
  async book(request: OrderRequest, levels: readonly StockLevel[]): Promise<Order> {
    await Promise.all(levels.map((level) => this.stock.write(level)));
    return this.orders.enter(request);
  }

  /** Opens these warehouses anew: with this stock, and none of the orders and articles that they had. */
  async restock(levels: readonly StockLevel[]): Promise<void> {
    const warehouses = new Set(levels.map(({ warehouse }) => warehouse));
    const [stock, orders] = await Promise.all([this.stock.all(), this.orders.all()]);
    const gone = stock.filter(({ warehouse }) => warehouses.has(warehouse));
    const served = orders.filter(({ warehouse }) => warehouses.has(warehouse));
    await Promise.all([
      ...gone.map((article) => this.stock.remove(article)),
      ...served.map((order) => this.orders.remove(order)),
    ]);
    for (const level of levels) {
      await this.data.write('offered', articleKey(level), level.stock);
      await this.stock.write(level);
    }
  }

  async report(): Promise<InventoryReport> {
    const [offered, stock, orders] = await Promise.all([
      this.data.readAll('offered'),
      this.stock.all(),
      this.orders.all(),
    ]);
    const begun = [...offered].map(([key, count]) => ({ ...articleOf(key), stock: Number(count) }));
    return inventoryReport(begun, stock, orders);
  }
}
