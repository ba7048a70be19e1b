import { Injectable, Module } from '@nestjs/common';
import { Locked, RedisLockModule } from 'nest-redis-lock';

@Injectable()
export class Payouts {
  @Locked('payout:<0>', { kind: 'redLock', wait: '3s' })
  async pay(accountId: string): Promise<void> {
    await fetch(`https://bank.example/payouts/${accountId}`, { method: 'POST' });
  }
}

@Module({
  imports: [
    RedisLockModule.forRoot({
      keyPrefix: 'lock:',
      connection: 'redis://shop:6379', // all other locks
      redLock: { nodes: ['redis://a:6379', 'redis://b:6379', 'redis://c:6379'], nodeTimeout: '200ms' },
      restartGuard: true, // or persistence with appendfsync always on each node
    }),
  ],
  providers: [Payouts],
})
export class AppModule {}
