import { type DynamicModule, Module } from '@nestjs/common';
import { ClsPluginTransactional } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { trackTransactions } from 'nest-redis-lock/transactional';
import { ClsModule } from 'nestjs-cls';
import { DataSource } from 'typeorm';
import type { ShopSettings } from '../shop.settings.js';
import { DatabaseModule } from './database.module.js';
import { InvoiceController } from './invoice.controller.js';
import { InvoiceService } from './invoice.service.js';
import { InvoiceTables } from './invoice-tables.js';
import { HastyStockKeeper, PatientStockKeeper, StockKeeper } from './stock-keeper.js';

/** Sales on account, in transactions of PostgreSQL, where the shop has one. */
@Module({})
export class InvoicesModule {
  static with({ databaseUrl }: ShopSettings): DynamicModule {
    if (databaseUrl === undefined) return { module: InvoicesModule };
    // Says when a transaction has ended, which is what locks wait for.
    const adapter = trackTransactions(new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource }));
    const transactions = new ClsPluginTransactional({ imports: [DatabaseModule.at(databaseUrl)], adapter });
    return {
      module: InvoicesModule,
      imports: [ClsModule.forRoot({ plugins: [transactions] })],
      controllers: [InvoiceController],
      providers: [InvoiceTables, InvoiceService, StockKeeper, HastyStockKeeper, PatientStockKeeper],
    };
  }
}
