import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

@Injectable()
export class Payments {
  constructor(private readonly locks: LockService) {}

  // @Redlock({ key: (userId: string) => `user:${userId}:update`, ttl: 30_000, retryAttempts: 3, retryDelay: 200 })
  @Locked('user:<0>:update', { wait: '600ms' })
  async updateUser(_userId: string): Promise<void> {}

  // await createLock({ adapter, key: 'nightly', ttl: 30_000 }).using(async (signal) => { … })
  async nightly(): Promise<void> {
    await this.locks.withLock('nightly', { wait: '300ms' }, async ({ signal }) => {
      while (!signal.aborted && (await this.nextBatch())) continue;
    });
  }

  // await manager.usingBatch(['user:1', 'order:3'], () => work())
  async together(): Promise<void> {
    await this.locks.getMultiLock('user:1', 'order:3').withLock(() => this.nextBatch());
  }

  private async nextBatch(): Promise<boolean> {
    return false;
  }
}
