import { type DynamicModule, Module } from '@nestjs/common';
import type { ShopSettings } from '../shop.settings.js';
import { DashboardController } from './dashboard.controller.js';
import { LiveService } from './live.service.js';
import { LockWatch } from './lock-watch.js';
import { MemoryLockWatch } from './memory-lock-watch.js';
import { PresenceService } from './presence.service.js';
import { RedisLockWatch } from './redis-lock-watch.js';
import { SnapshotService } from './snapshot.service.js';

@Module({})
export class DashboardModule {
  static with({ redisUrl }: ShopSettings, imports: DynamicModule[]): DynamicModule {
    return {
      module: DashboardModule,
      imports,
      controllers: [DashboardController],
      providers: [
        PresenceService,
        SnapshotService,
        LiveService,
        { provide: LockWatch, useClass: redisUrl === undefined ? MemoryLockWatch : RedisLockWatch },
      ],
    };
  }
}
