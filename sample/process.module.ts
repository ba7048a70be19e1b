import { type DynamicModule, Module } from '@nestjs/common';
import { Closing } from './closing.js';
import { SHOP_SETTINGS, type ShopSettings } from './shop.settings.js';

/** Facts about the process that any part of the shop may use. */
@Module({})
export class ProcessModule {
  static with(settings: ShopSettings): DynamicModule {
    return {
      module: ProcessModule,
      global: true,
      providers: [Closing, { provide: SHOP_SETTINGS, useValue: settings }],
      exports: [Closing, SHOP_SETTINGS],
    };
  }
}
