import { type DynamicModule, Module } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { InventoryController } from './inventory.controller.js';
import { Ledger } from './ledger.js';
import { UnlockedLedger } from '../variants/unlocked-ledger.js';
import { OrderBook } from './order-book.js';
import { StockStore } from './stock.store.js';

@Module({})
export class InventoryModule {
  static with({ locking }: ShopSettings): DynamicModule {
    return {
      module: InventoryModule,
      controllers: [InventoryController],
      providers: [StockStore, OrderBook, { provide: Ledger, useClass: locking === 'off' ? UnlockedLedger : Ledger }],
      exports: [Ledger],
    };
  }
}
