import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import type { StockLevel } from '../inventory/article.js';
import type { Order, OrderRequest } from '../orders/order.js';
import { OrderService } from '../orders/order.service.js';

/** One order per warehouse at a time, in any order: faster if several processes want the same lock. */
@Injectable()
export class UnfairOrderService extends OrderService {
  @Locked('orders:<0.warehouse>', { wait: '30s', cancelOnDisconnect: true })
  override async place(request: OrderRequest): Promise<Order> {
    return this.sell(request);
  }

  @Locked('orders:<0.warehouse>', { wait: '30s' })
  override async restock(levels: readonly StockLevel[]): Promise<void> {
    await this.ledger.restock(levels);
  }

  @Locked('orders:<0>', { wait: '30s' })
  override close(warehouse: string): Observable<string> {
    return this.closed(warehouse);
  }
}
