import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { ScheduleModule } from '@nestjs/schedule';
import { RedisLockModule } from 'nest-redis-lock';
import { ReportService } from './report.service.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    RedisLockModule.forRootAsync({
      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: config.get<string>('REDIS_URL', 'redis://localhost:6379'),
        keyPrefix: 'cron:',
      }),
    }),
    ScheduleModule.forRoot(),
  ],
  providers: [ReportService],
})
export class AppModule {}
