import { Injectable, Module } from '@nestjs/common';
import { Locked, LockService, RedisLockModule, type Hold } from 'nest-redis-lock';

/** A locked service, as an application has it. */
@Injectable()
export class OrderService {
  readonly paid: string[] = [];

  constructor(readonly locks: LockService) {}

  @Locked('order:<0>', { wait: '3s' })
  async pay(id: string): Promise<string> {
    this.paid.push(id);
    return `paid ${id}`;
  }

  @Locked((ids: readonly string[]) => ids.map((id) => `order:${id}`), { onConflict: 'skip' })
  async payAll(ids: readonly string[]): Promise<number | undefined> {
    return ids.length;
  }

  @Locked('invoice:<0>', { connection: 'billing' })
  async invoice(id: string): Promise<string> {
    return `invoiced ${id}`;
  }

  async notLocked(): Promise<void> {}

  /** Holds the lock until `work` has settled. */
  during<T>(id: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    return this.locks.withLock(`order:${id}`, work);
  }
}

/** An application on servers that no test has. */
@Module({
  imports: [
    RedisLockModule.forRoot({
      connections: { default: 'redis://redis.invalid:6379', billing: 'redis://billing.invalid:6379' },
      keyPrefix: 'shop:',
    }),
  ],
  providers: [OrderService],
})
export class AppModule {}
