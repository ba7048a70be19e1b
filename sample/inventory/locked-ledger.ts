import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import type { Order, OrderRequest } from '../orders/order.js';
import type { StockLevel } from './article.js';
import type { InventoryReport } from './inventory-report.js';
import { Ledger } from './ledger.js';

/** The same books, which many may read at a time, or one may write: a report sees all of an order, or nothing of it. */
@Injectable()
export class LockedLedger extends Ledger {
  @Locked('stock', { mode: 'write', wait: '30s' })
  override async book(request: OrderRequest, levels: readonly StockLevel[]): Promise<Order> {
    return super.book(request, levels);
  }

  @Locked('stock', { mode: 'write', wait: '30s' })
  override async restock(levels: readonly StockLevel[]): Promise<void> {
    return super.restock(levels);
  }

  @Locked('stock', { mode: 'read', wait: '30s' })
  override async report(): Promise<InventoryReport> {
    return super.report();
  }
}
