import { Injectable } from '@nestjs/common';
import { Locked, lockName, LockService } from 'nest-redis-lock';

interface Order {
  readonly id: string;
  readonly lines: readonly { readonly sku: string; readonly pieces: number }[];
}

@Injectable()
export class StockService {
  constructor(private readonly locks: LockService) {}

  @Locked('stock:<0.lines.sku>') // one lock for each line, all or none
  async reserve(order: Order): Promise<string> {
    return `reserved ${order.id}`;
  }

  @Locked((from: string, to: string) => [lockName`account:${from}`, lockName`account:${to}`])
  async transfer(from: string, to: string): Promise<string> {
    return `${from} to ${to}`;
  }

  async transferByHand(from: string, to: string): Promise<string> {
    const both = this.locks.getMultiLock(lockName`account:${from}`, lockName`account:${to}`);
    return both.withLock({ wait: '5s' }, () => `${from} to ${to}`);
  }
}
