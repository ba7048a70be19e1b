import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { TerminusModule } from '@nestjs/terminus';
import { RedisLockModule } from 'nest-redis-lock';
import { LockHealthIndicator } from 'nest-redis-lock/terminus';
import { HealthController } from './health.controller.js';
import { OrderController } from './order.controller.js';
import { OrderService } from './order.service.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    RedisLockModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: config.get<string>('REDIS_URL', 'redis://localhost:6379'),
        keyPrefix: 'quick-start:',
      }),
    }),
    TerminusModule,
  ],
  controllers: [OrderController, HealthController],
  providers: [OrderService, LockHealthIndicator],
})
export class AppModule {}
