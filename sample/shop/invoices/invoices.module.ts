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
import { ShelfService } from './shelf.service.js';
import { EarlyReleaseShelfService } from '../variants/early-release-shelf.service.js';
import { UnlockedShelfService } from '../variants/unlocked-shelf.service.js';

/** Sales on account, in PostgreSQL transactions, if there is a database. */
@Module({})
export class InvoicesModule {
  static with({ databaseUrl }: ShopSettings): DynamicModule {
    if (databaseUrl === undefined) return { module: InvoicesModule };
    // Reports the end of each transaction: until then locks with releaseAfter are kept.
    const adapter = trackTransactions(new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource }));
    const transactions = new ClsPluginTransactional({ imports: [DatabaseModule.at(databaseUrl)], adapter });
    return {
      module: InvoicesModule,
      imports: [ClsModule.forRoot({ plugins: [transactions] })],
      controllers: [InvoiceController],
      providers: [InvoiceTables, InvoiceService, ShelfService, EarlyReleaseShelfService, UnlockedShelfService],
    };
  }
}
