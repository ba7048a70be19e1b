import 'reflect-metadata';
import { Controller, Inject, Injectable, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { LockService, RedisLockModule } from 'nest-redis-lock';
import { ExportParts, ExportService } from '../../docs/recipes/kubernetes-drain/export.service.js';
import { ReadinessModule } from '../../docs/recipes/kubernetes-drain/readiness.module.js';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', shutdownTimeout = ''] = process.argv;
const PARTS = 3;
const aborted = new Gate();

/** Parts in Redis. Each takes until the test has put a token for it there. */
@Injectable()
class RecordedParts extends ExportParts {
  constructor(
    @Inject(Redis) private readonly redis: Redis,
    private readonly locks: LockService,
  ) {
    super();
  }

  async next(month: string): Promise<number | undefined> {
    const done = await this.redis.llen(`done:${month}`);
    return done < PARTS ? done : undefined;
  }

  async export(month: string, part: number): Promise<void> {
    this.locks.currentHold()?.signal.addEventListener('abort', () => aborted.open(), { once: true });
    await this.redis.rpush('begun', `${part} ${process.pid}`);
    const blocking = this.redis.duplicate();
    await blocking.blpop('tokens', 0);
    blocking.disconnect();
    await this.redis.rpush(`done:${month}`, `${part} ${process.pid}`);
  }
}

@Controller('exports')
class ExportController {
  constructor(private readonly exports: ExportService) {}

  @Post(':month')
  run(@Param('month') month: string): Promise<string> {
    return this.exports.run(month);
  }
}

@Module({
  imports: [
    RedisLockModule.forRoot({ connection: url, probe: false, shutdownTimeout: Number(shutdownTimeout) }),
    ReadinessModule,
  ],
  controllers: [ExportController],
  providers: [
    ExportService,
    { provide: ExportParts, useClass: RecordedParts },
    { provide: Redis, useFactory: () => new Redis(url) },
  ],
})
class ExportModule {}

const listening = NestFactory.create(ExportModule, { logger: false }).then(async (app) => {
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
});

/** One pod. */
export const api = {
  url: (): Promise<string> => listening,
  /** Resolves when the signal of a hold has aborted. */
  aborted: (): Promise<void> => aborted.pass(),
};

serve(api);
