import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import type { Order, OrderRequest } from '../orders/order.js';

/** All accepted orders, numbered in the order of acceptance. */
@Injectable()
export class OrderBook {
  constructor(private readonly data: ShopData) {}

  async enter({ warehouse, lines }: OrderRequest): Promise<Order> {
    const number = await this.data.add('order-numbers', 'last', 1);
    const order = { id: randomUUID(), number, warehouse, lines };
    await this.data.write('orders', order.id, JSON.stringify(order));
    return order;
  }

  async find(id: string): Promise<Order | undefined> {
    const text = await this.data.read('orders', id);
    return text === undefined ? undefined : (JSON.parse(text) as Order);
  }

  async all(): Promise<readonly Order[]> {
    return [...(await this.data.readAll('orders')).values()].map((text) => JSON.parse(text) as Order);
  }

  async remove({ id }: Order): Promise<void> {
    await this.data.remove('orders', id);
  }
}
