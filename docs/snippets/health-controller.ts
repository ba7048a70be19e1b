import { Controller, Get, Module } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { LockHealthIndicator } from 'nest-redis-lock/terminus';

@Controller()
class HealthController {
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

@Module({
  imports: [TerminusModule.forRoot({ gracefulShutdownTimeoutMs: 5000 })],
  controllers: [HealthController],
  providers: [LockHealthIndicator],
})
export class HealthModule {}
