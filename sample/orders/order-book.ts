import type { Order, OrderRequest } from './order.js';

/** All orders the shop has accepted. */
export abstract class OrderBook {
  abstract enter(request: OrderRequest): Promise<Order>;
  abstract find(id: string): Promise<Order | undefined>;
  abstract all(): Promise<readonly Order[]>;
  abstract clear(): Promise<void>;
}
