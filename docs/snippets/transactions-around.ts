import { Injectable } from '@nestjs/common';
import { Transactional, TransactionHost } from '@nestjs-cls/transactional';
import type { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class StockService {
  constructor(private readonly host: TransactionHost<TransactionalAdapterTypeOrm>) {}

  @Locked('stock:<0>') // first the lock,
  @Transactional() // then the transaction: it commits before the lock is released
  async take(sku: string): Promise<void> {
    await this.host.tx.query('UPDATE stock SET pieces = pieces - 1 WHERE sku = $1', [sku]);
  }
}
