import { Module } from '@nestjs/common';
import { RedisLockModule } from 'nest-redis-lock';
import { OrdersService } from './orders.service.js';

/** Nothing listens on this port: a test that connects to Redis fails. */
@Module({
  imports: [RedisLockModule.forRoot({ connection: 'redis://127.0.0.1:1' })],
  providers: [OrdersService],
})
export class OrdersModule {}
