import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { MemoryShopData } from './memory-shop-data.js';
import { RedisShopData } from './redis-shop-data.js';
import { ShopData } from './shop-data.js';
import { ShopRedis } from './shop-redis.js';

/** The data of the shop. Global, like a database. */
@Module({})
export class DataModule {
  static with(settings: ShopSettings): DynamicModule {
    return { module: DataModule, global: true, providers: providers(settings), exports: providers(settings) };
  }
}

const providers = ({ redisUrl, keyPrefix }: ShopSettings): Provider[] =>
  redisUrl === undefined
    ? [{ provide: ShopData, useClass: MemoryShopData }]
    : [
        { provide: ShopRedis, useFactory: () => new ShopRedis(redisUrl, keyPrefix) },
        { provide: ShopData, useClass: RedisShopData },
      ];
