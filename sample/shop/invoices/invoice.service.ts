import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Transactional } from '@nestjs-cls/transactional';
import { InvoiceTables } from './invoice-tables.js';
import type { ShelfService } from './shelf.service.js';

/** The time of the rest of the transaction, ms. */
const PAPERWORK_MS = 5;

/** Sells on account: stock and invoice change in one transaction. */
@Injectable()
export class InvoiceService {
  constructor(private readonly tables: InvoiceTables) {}

  @Transactional()
  async sellOne(sku: string, shelf: ShelfService): Promise<void> {
    await shelf.takeOne(sku);
    await this.tables.invoice(sku);
    await setTimeout(PAPERWORK_MS);
  }
}
