import { Controller, Get, Logger } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { TestingModule } from '@nestjs/testing';
import type { RedisLockOptions, Scheduler } from 'nest-redis-lock';
import { type ConnectionHealth, LockHealthIndicator, type LockHealthOptions } from 'nest-redis-lock/terminus';
import { compile, type Served, serve } from '../../nest/applications.js';

@Controller()
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: LockHealthIndicator,
  ) {}

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.locks.isHealthy('locks')]);
  }
}

const metadata = {
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [Health],
  providers: [LockHealthIndicator],
};

/** An application with a health check at `/ready`. */
export const serveReady = (options: RedisLockOptions): Promise<Served> =>
  serve(() => new ExpressAdapter(), metadata, { keyPrefix: '', ...options });

/** The same application without a port. */
export const startReady = async (options: RedisLockOptions, scheduler?: Scheduler): Promise<TestingModule> => {
  const app = await compile(metadata, { keyPrefix: '', ...options }, scheduler);
  Logger.overrideLogger(false);
  return app.init();
};

/** The part of a result that is about the locks. */
export interface Reported {
  readonly status: 'up' | 'degraded' | 'down';
  readonly problems: readonly string[];
  readonly connections: Readonly<Record<string, ConnectionHealth>>;
}

/** Long enough for a server that answers at all, on a busy machine. */
export const PATIENT = { timeout: '10s' } as const;

export const checkLocks = async (
  app: Pick<TestingModule, 'get'>,
  options: LockHealthOptions = PATIENT,
): Promise<Reported> => {
  const { locks } = await app.get(LockHealthIndicator).isHealthy('locks', options);
  return locks as Reported;
};
