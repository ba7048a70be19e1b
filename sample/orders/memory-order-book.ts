import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Order, OrderRequest } from './order.js';
import { OrderBook } from './order-book.js';

/** Orders in this process, for a shop of one. */
@Injectable()
export class MemoryOrderBook extends OrderBook {
  private readonly orders = new Map<string, Order>();

  override async enter({ warehouse, lines }: OrderRequest): Promise<Order> {
    const order = { id: randomUUID(), warehouse, lines };
    this.orders.set(order.id, order);
    return order;
  }

  override async find(id: string): Promise<Order | undefined> {
    return this.orders.get(id);
  }

  override async all(): Promise<readonly Order[]> {
    return [...this.orders.values()];
  }

  override async clear(): Promise<void> {
    this.orders.clear();
  }
}
