import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { ShopData } from '../data/shop-data.js';
import type { Order, OrderRequest } from '../orders/order.js';
import { type Article, articleKey, articleOf, type StockLevel } from './article.js';
import { type InventoryReport, inventoryReport } from './inventory-report.js';
import { OrderBook } from './order-book.js';
import { StockStore } from './stock.store.js';

/**
 * The books of the shop. An order is written in several steps, and a report is read in several, so both take the
 * read-write lock: a report sees all of an order or nothing of it.
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

  /** Enters an order and the stock that it leaves. */
  @Locked('stock', { mode: 'write', wait: '30s' })
  async book(request: OrderRequest, levels: readonly StockLevel[]): Promise<Order> {
    return this.writeOrder(request, levels);
  }

  /** Replaces the stock of these warehouses and deletes their orders. */
  @Locked('stock', { mode: 'write', wait: '30s' })
  async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.replaceStock(levels);
  }

  @Locked('stock', { mode: 'read', wait: '30s' })
  async report(): Promise<InventoryReport> {
    return this.readReport();
  }

  protected async writeOrder(request: OrderRequest, levels: readonly StockLevel[]): Promise<Order> {
    await Promise.all(levels.map((level) => this.stock.write(level)));
    return this.orders.enter(request);
  }

  protected async replaceStock(levels: readonly StockLevel[]): Promise<void> {
    const warehouses = new Set(levels.map(({ warehouse }) => warehouse));
    const [stock, orders] = await Promise.all([this.stock.all(), this.orders.all()]);
    const oldStock = stock.filter(({ warehouse }) => warehouses.has(warehouse));
    const oldOrders = orders.filter(({ warehouse }) => warehouses.has(warehouse));
    await Promise.all([
      ...oldStock.map((article) => this.stock.remove(article)),
      ...oldOrders.map((order) => this.orders.remove(order)),
    ]);
    for (const level of levels) {
      await this.data.write('offered', articleKey(level), level.stock);
      await this.stock.write(level);
    }
  }

  protected async readReport(): Promise<InventoryReport> {
    const [offered, stock, orders] = await Promise.all([
      this.data.readAll('offered'),
      this.stock.all(),
      this.orders.all(),
    ]);
    const initial = [...offered].map(([key, count]) => ({ ...articleOf(key), stock: Number(count) }));
    return inventoryReport(initial, stock, orders);
  }
}
