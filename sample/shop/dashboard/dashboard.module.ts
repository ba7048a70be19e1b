import { type DynamicModule, Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller.js';
import { LiveService } from './live.service.js';
import { LockStates } from './lock-states.js';
import { PresenceService } from './presence.service.js';
import { SnapshotService } from './snapshot.service.js';

@Module({})
export class DashboardModule {
  static with(imports: DynamicModule[]): DynamicModule {
    return {
      module: DashboardModule,
      imports,
      controllers: [DashboardController],
      providers: [PresenceService, SnapshotService, LiveService, LockStates],
    };
  }
}
