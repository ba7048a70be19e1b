import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ShopRedis } from '../shop-redis.js';
import type { Order, OrderRequest } from './order.js';
import { OrderBook } from './order-book.js';

/** Orders as JSON in the hash `shop:orders`, by id. */
@Injectable()
export class RedisOrderBook extends OrderBook {
  constructor(private readonly redis: ShopRedis) {
    super();
  }

  override async enter({ warehouse, lines }: OrderRequest): Promise<Order> {
    const order = { id: randomUUID(), warehouse, lines };
    await this.redis.client.hset('orders', order.id, JSON.stringify(order));
    return order;
  }

  override async find(id: string): Promise<Order | undefined> {
    const text = await this.redis.client.hget('orders', id);
    return text === null ? undefined : (JSON.parse(text) as Order);
  }

  override async all(): Promise<readonly Order[]> {
    const texts = await this.redis.client.hvals('orders');
    return texts.map((text) => JSON.parse(text) as Order);
  }

  override async clear(): Promise<void> {
    await this.redis.client.del('orders');
  }
}
