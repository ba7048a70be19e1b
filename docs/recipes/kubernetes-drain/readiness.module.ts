import { Controller, Get, Module } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { LockHealthIndicator } from 'nest-redis-lock/terminus';

@Controller()
class ReadinessController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: LockHealthIndicator,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.locks.isHealthy('locks')]);
  }
}

/** Locks begin to drain after the time below, if RedisLockModule is global, as it is by default. */
@Module({
  imports: [TerminusModule.forRoot({ gracefulShutdownTimeoutMs: Number(process.env['NOT_READY_MS'] ?? 5000) })],
  controllers: [ReadinessController],
  providers: [LockHealthIndicator],
})
export class ReadinessModule {}
