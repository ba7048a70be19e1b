import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

@Injectable()
export class Reports {
  constructor(private readonly locks: LockService) {}

  // new Mutex(client, `report:${month}`, { lockTimeout: 10_000, acquireTimeout: 3_000 })
  async make(month: string): Promise<void> {
    await this.locks.withLock(`report:${month}`, { lease: '10s', renew: true, wait: '3s' }, async (hold) => {
      for (const page of [1, 2, 3]) {
        hold.assertHeld(); // instead of mutex.isAcquired
        await this.makePage(month, page, hold.signal); // aborts instead of onLockLost
      }
    });
  }

  // new Mutex(client, 'clean-up', { acquireAttemptsLimit: 1 }).tryAcquire()
  async cleanUp(): Promise<void> {
    await using hold = await this.locks.tryAcquire('clean-up');
    if (!hold) return;
    await this.deleteOldReports();
  }

  // new Semaphore(client, `tenant:${tenant}`, 5)
  @Locked('tenant:<0>', { limit: 5, wait: '30s' })
  async send(_tenant: string): Promise<void> {}

  private async makePage(_month: string, _page: number, _signal: AbortSignal): Promise<void> {}

  private async deleteOldReports(): Promise<void> {}
}
