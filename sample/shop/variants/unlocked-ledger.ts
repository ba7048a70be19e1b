import { Injectable } from '@nestjs/common';
import type { StockLevel } from '../inventory/article.js';
import type { InventoryReport } from '../inventory/inventory-report.js';
import { Ledger } from '../inventory/ledger.js';
import type { Order, OrderRequest } from '../orders/order.js';

/** The books without locks: a report may see half an order. */
@Injectable()
export class UnlockedLedger extends Ledger {
  override async book(request: OrderRequest, levels: readonly StockLevel[]): Promise<Order> {
    return this.writeOrder(request, levels);
  }

  override async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.replaceStock(levels);
  }

  override async report(): Promise<InventoryReport> {
    return this.readReport();
  }
}
