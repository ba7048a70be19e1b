import { Injectable, Module } from '@nestjs/common';
import { InjectLocks, Locked, LockService, RedisLockModule } from 'nest-redis-lock';

@Injectable()
export class InvoiceService {
  constructor(
    private readonly locks: LockService,
    @InjectLocks('billing') private readonly billing: LockService,
  ) {}

  @Locked('invoice:<0>', { connection: 'billing' })
  async send(id: string): Promise<string> {
    return `sent ${id}`;
  }

  async sendByHand(id: string): Promise<string> {
    return this.billing.withLock(`invoice:${id}`, () => `sent ${id}`);
  }

  async sendWithOrder(id: string, order: string): Promise<string> {
    const both = this.locks.getMultiLock(`order:${order}`, this.billing.getLock(`invoice:${id}`));
    return both.withLock(() => `sent ${id}`);
  }
}

@Module({
  imports: [
    RedisLockModule.forRoot({
      keyPrefix: 'shop:lock:',
      connections: { default: 'redis://shop:6379', billing: { cluster: ['redis://b1:7000', 'redis://b2:7000'] } },
    }),
  ],
  providers: [InvoiceService],
})
export class AppModule {}
