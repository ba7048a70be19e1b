import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { DataSource } from 'typeorm';

@Injectable()
export class Stock {
  constructor(
    private readonly locks: LockService,
    private readonly database: DataSource,
  ) {}

  async wrong(sku: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.locks.withLock(`stock:${sku}`, () => manager.decrement('stock', { sku }, 'count', 1)),
    ); // the lock is released before the commit: the next holder reads the old count
  }

  async right(sku: string): Promise<void> {
    await this.locks.withLock(`stock:${sku}`, () =>
      this.database.transaction((manager) => manager.decrement('stock', { sku }, 'count', 1)),
    );
  }
}
