import { Injectable, Module } from '@nestjs/common';
import { Locked, lockName, LockService, RedisLockModule } from 'nest-redis-lock';

@Injectable()
export class LedgerService {
  constructor(private readonly locks: LockService) {}

  @Locked('ledger:<0>', { kind: 'redLock', wait: '3s' })
  async book(account: string): Promise<string> {
    return `booked ${account}`;
  }

  async close(account: string): Promise<string> {
    return this.locks.getRedLock(lockName`ledger:${account}`).withLock({ wait: '3s' }, () => `closed ${account}`);
  }
}

@Module({
  imports: [
    RedisLockModule.forRoot({
      keyPrefix: 'shop:lock:',
      connection: 'redis://shop:6379', // for all other locks
      redLock: { nodes: ['redis://a:6379', 'redis://b:6379', 'redis://c:6379'], nodeTimeout: '200ms' },
      restartGuard: true,
    }),
  ],
  providers: [LedgerService],
})
export class AppModule {}
