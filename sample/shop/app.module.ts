import { type DynamicModule, Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { RedisLockModule, type RedisLockOptions } from 'nest-redis-lock';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { DataModule } from './data/data.module.js';
import { FlashSaleModule } from './flash-sale/flash-sale.module.js';
import { InventoryModule } from './inventory/inventory.module.js';
import { InvoicesModule } from './invoices/invoices.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { ProcessModule } from './process.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { SHOP_SETTINGS, type ShopSettings } from './shop.settings.js';
import { WarehouseModule } from './warehouse/warehouse.module.js';

@Module({})
export class AppModule {
  static with(settings: ShopSettings): DynamicModule {
    // Created once each: Nest treats two dynamic modules of one class as two modules.
    const inventory = InventoryModule.with(settings);
    const payments = PaymentsModule.with(settings);
    const orders = OrdersModule.with(settings, [inventory, payments]);
    const reports = ReportsModule.with(settings, [inventory]);
    return {
      module: AppModule,
      imports: [
        ProcessModule.with(settings),
        RedisLockModule.forRootAsync({ inject: [SHOP_SETTINGS], useFactory: lockOptions }),
        DataModule.with(settings),
        inventory,
        payments,
        orders,
        reports,
        WarehouseModule.with([orders]),
        InvoicesModule.with(settings),
        FlashSaleModule,
        OperatorModule,
        // Only this machine reaches the shop: it listens on its loopback address.
        LockDashboardModule.forRoot({ path: 'locks', allowAnonymous: true }),
        DashboardModule.with([inventory, payments, orders, reports]),
      ],
      providers: [{ provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) }],
    };
  }
}

const lockOptions = ({ redisUrl, lockDriver: driver, keyPrefix }: ShopSettings): RedisLockOptions =>
  redisUrl === undefined
    ? { connection: 'memory', holderRecords: true }
    : // Short, so that the locks of a process that was killed are soon free.
      { connection: redisUrl, driver, keyPrefix, holderRecords: true, renewedLease: '10s' };
