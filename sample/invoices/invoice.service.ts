import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Transactional } from '@nestjs-cls/transactional';
import { InvoiceTables } from './invoice-tables.js';
import type { StockKeeper } from './stock-keeper.js';

/** What else there is to do for an invoice, ms. */
const PAPERWORK_MS = 5;

/** Sells on account: stock and invoice change together, or not at all. */
@Injectable()
export class InvoiceService {
  constructor(private readonly tables: InvoiceTables) {}

  @Transactional()
  async sellOne(sku: string, keeper: StockKeeper): Promise<void> {
    await keeper.takeOne(sku);
    await this.tables.invoice(sku);
    await setTimeout(PAPERWORK_MS);
  }
}
