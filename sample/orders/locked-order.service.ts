import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import type { Order, OrderRequest } from './order.js';
import { OrderService } from './order.service.js';

/** The same service, one order per warehouse at a time, however many processes the shop has. */
@Injectable()
export class LockedOrderService extends OrderService {
  @Locked('warehouse:<0.warehouse>', { wait: '30s' })
  override async place(request: OrderRequest): Promise<Order> {
    return super.place(request);
  }
}
