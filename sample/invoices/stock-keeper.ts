import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { transactionEnd } from 'nest-redis-lock/transactional';
import { InvoiceTables } from './invoice-tables.js';

/** Looks how many there are, and writes how many are left. */
@Injectable()
export class StockKeeper {
  constructor(private readonly tables: InvoiceTables) {}

  async takeOne(sku: string): Promise<void> {
    const stock = await this.tables.stockOf(sku);
    await this.tables.setStock(sku, stock - 1);
  }
}

/** The next one looks when this one has written, and sees nothing of that: it is not committed yet. */
@Injectable()
export class HastyStockKeeper extends StockKeeper {
  @Locked('shelf:<0>', { wait: '30s' })
  override async takeOne(sku: string): Promise<void> {
    await super.takeOne(sku);
  }
}

/** The next one looks when what this one has written is committed. */
@Injectable()
export class PatientStockKeeper extends StockKeeper {
  @Locked('shelf:<0>', { wait: '30s', releaseAfter: transactionEnd() })
  override async takeOne(sku: string): Promise<void> {
    await super.takeOne(sku);
  }
}
