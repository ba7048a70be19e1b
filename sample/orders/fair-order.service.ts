import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import type { StockLevel } from '../inventory/article.js';
import type { Order, OrderRequest } from './order.js';
import { OrderService } from './order.service.js';

/** One order per warehouse at a time, in the order in which they came to whichever process. Who leaves, leaves the queue. */
@Injectable()
export class FairOrderService extends OrderService {
  @Locked('orders:<0.warehouse>', { fair: true, wait: '30s', cancelOnDisconnect: true })
  override async place(request: OrderRequest): Promise<Order> {
    return super.place(request);
  }

  /** Under the locks of all these warehouses. */
  @Locked('orders:<0.warehouse>', { fair: true, wait: '30s' })
  override async restock(levels: readonly StockLevel[]): Promise<void> {
    return super.restock(levels);
  }

  @Locked('orders:<0>', { fair: true, wait: '30s' })
  override pause(warehouse: string): Observable<string> {
    return super.pause(warehouse);
  }
}
