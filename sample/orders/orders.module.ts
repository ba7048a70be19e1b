import { type DynamicModule, Module } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { FairOrderService } from './fair-order.service.js';
import { OrderController } from './order.controller.js';
import { OrderQueue } from './order-queue.js';
import { OrderService } from './order.service.js';
import { RestockController } from './restock.controller.js';
import { UnfairOrderService } from './unfair-order.service.js';

const SERVICES = { off: OrderService, unfair: UnfairOrderService, fair: FairOrderService };

@Module({})
export class OrdersModule {
  static with({ locking }: ShopSettings, imports: DynamicModule[]): DynamicModule {
    return {
      module: OrdersModule,
      imports,
      controllers: [OrderController, RestockController],
      providers: [OrderQueue, { provide: OrderService, useClass: SERVICES[locking] }],
      exports: [OrderService, OrderQueue],
    };
  }
}
