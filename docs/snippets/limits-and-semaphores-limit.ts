import { Injectable } from '@nestjs/common';
import { Locked, lockName, LockService } from 'nest-redis-lock';

@Injectable()
export class ExportService {
  constructor(private readonly locks: LockService) {}

  @Locked('tenant:<0>', { limit: 3, wait: '30s' })
  async exportOrders(tenant: string): Promise<string> {
    return `orders of ${tenant}`;
  }

  async exportInvoices(tenant: string): Promise<string> {
    await using hold = await this.locks.acquire(lockName`tenant:${tenant}`, { limit: 3, wait: '30s', fair: true });
    hold.assertHeld();
    return `invoices of ${tenant}`;
  }
}
