import { type DynamicModule, Module } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { UnfairOrderService } from '../variants/unfair-order.service.js';
import { UnlockedOrderService } from '../variants/unlocked-order.service.js';
import { OrderController } from './order.controller.js';
import { OrderQueue } from './order-queue.js';
import { OrderService } from './order.service.js';
import { RestockController } from './restock.controller.js';

const SERVICES = { off: UnlockedOrderService, unfair: UnfairOrderService, fair: OrderService };

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
