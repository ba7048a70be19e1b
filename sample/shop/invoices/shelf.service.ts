import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { transactionEnd } from 'nest-redis-lock/transactional';
import { InvoiceTables } from './invoice-tables.js';

/** Takes articles off the shelf. The lock lasts until the commit, so the next caller reads the committed stock. */
@Injectable()
export class ShelfService {
  constructor(private readonly tables: InvoiceTables) {}

  @Locked('shelf:<0>', { wait: '30s', releaseAfter: transactionEnd() })
  async takeOne(sku: string): Promise<void> {
    await this.decrement(sku);
  }

  protected async decrement(sku: string): Promise<void> {
    const stock = await this.tables.stockOf(sku);
    await this.tables.setStock(sku, stock - 1);
  }
}
