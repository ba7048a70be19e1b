// src/app.module.ts
import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { RedisLockModule } from 'nest-redis-lock';
import { OrdersController, OrdersService } from './orders.js';

@Module({
  imports: [
    RedisLockModule.forRootAsync({
      imports: [ConfigModule.forRoot()],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        connection: config.getOrThrow<string>('REDIS_URL'),
        keyPrefix: 'shop:lock:', // apart from all other keys
      }),
    }),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
