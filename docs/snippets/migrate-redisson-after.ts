import { Injectable, Module } from '@nestjs/common';
import { Locked, LockService, RedisLockModule } from 'nest-redis-lock';

@Injectable()
export class Orders {
  constructor(private readonly locks: LockService) {}

  // RLock lock = redisson.getLock("order:" + id); lock.lock(); try { pay(id); } finally { lock.unlock(); }
  @Locked((id: string) => `order:${id}`, { wait: Infinity })
  async pay(_id: string): Promise<void> {}

  // if (redisson.getFairLock("ticket").tryLock(3, 10, TimeUnit.SECONDS)) …
  async sell(): Promise<boolean> {
    await using hold = await this.locks.getFairLock('ticket').tryAcquire({ wait: '3s', lease: '10s' });
    if (!hold) return false;
    return this.sellNext(hold.signal);
  }

  private async sellNext(_signal: AbortSignal): Promise<boolean> {
    return true;
  }
}

@Module({
  imports: [
    RedisLockModule.forRoot({
      connection: 'redis://127.0.0.1:6379',
      keyPrefix: '', // the names of Redisson; with a NameMapper there: the prefix that it adds
      renewedLease: '30s', // lockWatchdogTimeout
      fencing: 'counter', // if Java takes fenced locks too
    }),
  ],
  providers: [Orders],
})
export class AppModule {}
