import { type DynamicModule, Module } from '@nestjs/common';
import { ShutdownSignal } from './shutdown-signal.js';
import { SHOP_SETTINGS, type ShopSettings } from './shop.settings.js';

/** Settings and shutdown signal of the process, for all modules. */
@Module({})
export class ProcessModule {
  static with(settings: ShopSettings): DynamicModule {
    return {
      module: ProcessModule,
      global: true,
      providers: [ShutdownSignal, { provide: SHOP_SETTINGS, useValue: settings }],
      exports: [ShutdownSignal, SHOP_SETTINGS],
    };
  }
}
