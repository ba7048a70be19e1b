import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { HttpConnections } from './http-connections.js';
import { ShutdownSignal } from './shutdown-signal.js';
import { shopConfig, type ShopSettings } from './shop.settings.js';

/** Settings and shutdown signal of the process, for all modules, and its HTTP connections. */
@Module({})
export class ProcessModule {
  static with(settings: ShopSettings): DynamicModule {
    return {
      module: ProcessModule,
      global: true,
      imports: [ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [shopConfig(settings)] })],
      providers: [ShutdownSignal, HttpConnections],
      exports: [ShutdownSignal],
    };
  }
}
