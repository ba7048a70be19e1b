import { Module } from '@nestjs/common';
import { RedisLockModule } from 'nest-redis-lock';

@Module({
  imports: [
    RedisLockModule.forRoot({
      connection: 'redis://127.0.0.1:6379',
      keyPrefix: 'lock:', // the old library has no keys that begin with this
    }),
  ],
})
export class AppModule {}
