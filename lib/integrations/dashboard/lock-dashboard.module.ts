import { type DynamicModule, Module } from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { DEFAULT_CONNECTION_NAME } from '../../locks/options/connection-choice.js';
import { systemScheduler } from '../../time/scheduler.js';
import { createDashboardController } from './dashboard.controller.js';
import { Dashboard } from './dashboard.js';
import { type LockDashboardOptions, parseDashboardOptions } from './lock-dashboard.options.js';

/**
 * Serves a page that shows which locks are held and waited for, by whom and since when, and can release them. Needs
 * `RedisLockModule`, and Express or Fastify.
 *
 * @example
 * imports: [
 *   RedisLockModule.forRoot({ connection: 'redis://redis:6379', holderRecords: true }),
 *   LockDashboardModule.forRoot({ path: 'ops/locks', guard: AdminGuard, imports: [AuthModule] }),
 * ]
 */
@Module({})
export class LockDashboardModule {
  /**
   * @throws LockOptionsError that names option and value, and if there is neither a `guard` nor `allowAnonymous: true`.
   */
  static forRoot(options: LockDashboardOptions): DynamicModule {
    const { path, guards, imports, connection, ...settings } = parseDashboardOptions(options);
    return {
      module: LockDashboardModule,
      imports: [...imports],
      controllers: [createDashboardController(path, guards)],
      providers: [
        {
          provide: Dashboard,
          inject: [LockService],
          useFactory: (locks: LockService): Dashboard =>
            new Dashboard(
              connection === undefined ? locks : locks.forConnection(connection),
              { ...settings, connection: connection ?? DEFAULT_CONNECTION_NAME },
              systemScheduler,
            ),
        },
      ],
    };
  }
}
