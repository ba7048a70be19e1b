import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { StockLevel } from '../inventory/article.js';
import type { Order, OrderRequest } from '../orders/order.js';
import { OrderService } from '../orders/order.service.js';

/** The order service without locks: it sells the same item several times. */
@Injectable()
export class UnlockedOrderService extends OrderService {
  override async place(request: OrderRequest): Promise<Order> {
    return this.sell(request);
  }

  override async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.ledger.restock(levels);
  }

  override close(warehouse: string): Observable<string> {
    return this.closed(warehouse);
  }
}
