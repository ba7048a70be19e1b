// src/app.module.ts
import { Module } from '@nestjs/common';
import { RedisLockModule } from 'nest-redis-lock';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [
    RedisLockModule.forRoot({
      connection: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
      keyPrefix: 'shop:lock:',
    }),
  ],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
