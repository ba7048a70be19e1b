import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { RedisLockModule } from 'nest-redis-lock';
import { ReportController } from './report.controller.js';
import { ReportMaker, ReportQueue } from './report.queue.js';

@Injectable()
class SlowReportMaker extends ReportMaker {
  private readonly logger = new Logger(SlowReportMaker.name);

  async make(id: string, signal: AbortSignal): Promise<void> {
    this.logger.log(`Report ${id} begins in process ${process.pid}`);
    await sleep(3000, undefined, { signal }); // stands for the work
    this.logger.log(`Report ${id} is done`);
  }
}

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    RedisLockModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: config.get<string>('REDIS_URL', 'redis://localhost:6379'),
        keyPrefix: 'queue:',
      }),
    }),
  ],
  controllers: [ReportController],
  providers: [ReportQueue, { provide: ReportMaker, useClass: SlowReportMaker }],
})
export class AppModule {}
