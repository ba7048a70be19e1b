import { type DynamicModule, Module, type Provider, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { RedisLockModule } from 'nest-redis-lock';
import { InventoryController } from './inventory/inventory.controller.js';
import { MemoryStockStore } from './inventory/memory-stock.store.js';
import { RedisStockStore } from './inventory/redis-stock.store.js';
import { StockStore } from './inventory/stock.store.js';
import { LockedOrderService } from './orders/locked-order.service.js';
import { MemoryOrderBook } from './orders/memory-order-book.js';
import { OrderBook } from './orders/order-book.js';
import { OrderController } from './orders/order.controller.js';
import { OrderService } from './orders/order.service.js';
import { Payment } from './orders/payment.js';
import { RedisOrderBook } from './orders/redis-order-book.js';
import { ShopRedis } from './shop-redis.js';
import type { ShopSettings } from './shop.settings.js';

@Module({})
export class AppModule {
  static with({ locking, redisUrl, paymentMs }: ShopSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [RedisLockModule.forRoot(redisUrl === undefined ? { backend: 'memory' } : { connection: redisUrl })],
      controllers: [OrderController, InventoryController],
      providers: [
        // The one difference between the two sales.
        { provide: OrderService, useClass: locking ? LockedOrderService : OrderService },
        { provide: Payment, useValue: new Payment(paymentMs) },
        ...(redisUrl === undefined ? inMemory() : inRedis(redisUrl)),
        { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
      ],
    };
  }
}

const inMemory = (): Provider[] => [
  { provide: StockStore, useClass: MemoryStockStore },
  { provide: OrderBook, useClass: MemoryOrderBook },
];

const inRedis = (url: string): Provider[] => [
  { provide: ShopRedis, useFactory: () => new ShopRedis(url) },
  { provide: StockStore, useClass: RedisStockStore },
  { provide: OrderBook, useClass: RedisOrderBook },
];
