import { Injectable } from '@nestjs/common';
import { ShopRedis } from '../shop-redis.js';
import { type Article, articleKey, type StockLevel, StockStore } from './stock.store.js';

/** Stock in the hash `shop:stock`, one field per article. */
@Injectable()
export class RedisStockStore extends StockStore {
  constructor(private readonly redis: ShopRedis) {
    super();
  }

  override async read(article: Article): Promise<number> {
    return Number((await this.redis.client.hget('stock', articleKey(article))) ?? 0);
  }

  override async write(level: StockLevel): Promise<void> {
    await this.redis.client.hset('stock', articleKey(level), level.stock);
  }

  override async all(): Promise<readonly StockLevel[]> {
    const fields = Object.entries(await this.redis.client.hgetall('stock'));
    return fields.map(([key, stock]) => {
      const [warehouse = '', sku = ''] = key.split('/');
      return { warehouse, sku, stock: Number(stock) };
    });
  }

  override async replace(levels: readonly StockLevel[]): Promise<void> {
    const transaction = this.redis.client.multi().del('stock');
    for (const level of levels) transaction.hset('stock', articleKey(level), level.stock);
    await transaction.exec();
  }
}
