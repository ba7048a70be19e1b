import { Module } from '@nestjs/common';
import { RedisLockModule } from 'nest-redis-lock';

@Module({
  imports: [
    RedisLockModule.forRoot({
      keyPrefix: 'lock:',
      connection: { sentinels: [{ host: 'sentinel-1', port: 26379 }], name: 'locks' },
      replicas: { min: 1, timeout: '300ms' }, // a lock counts when one replica has it, too
      restartGuard: '1m', // the longest lease in use; not below renewedLease
    }),
  ],
})
export class AppModule {}
