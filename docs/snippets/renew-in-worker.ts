import { Module } from '@nestjs/common';
import { RedisLockModule } from 'nest-redis-lock';

@Module({
  imports: [
    RedisLockModule.forRoot({
      connection: 'redis://127.0.0.1:6379',
      keyPrefix: 'shop:',
      renewIn: { worker: '2m' }, // the longest time for which the event loop may stand; 'worker': one minute
    }),
  ],
})
export class AppModule {}
