import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TransactionHost } from '@nestjs-cls/transactional';
import type { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';

/** Stock and invoices in PostgreSQL, in a schema of this shop. */
@Injectable()
export class InvoiceTables implements OnApplicationShutdown {
  private readonly schema: string;

  constructor(
    private readonly transaction: TransactionHost<TransactionalAdapterTypeOrm>,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {
    this.schema = settings.keyPrefix.replaceAll(/[^a-z0-9]+/g, '_');
  }

  async open(sku: string, stock: number): Promise<void> {
    await this.query(`CREATE SCHEMA IF NOT EXISTS ${this.schema}`);
    await this.query(`CREATE TABLE IF NOT EXISTS ${this.schema}.shelf (sku text PRIMARY KEY, stock integer NOT NULL)`);
    await this.query(`CREATE TABLE IF NOT EXISTS ${this.schema}.invoice (id serial PRIMARY KEY, sku text NOT NULL)`);
    await this.query(`INSERT INTO ${this.schema}.shelf VALUES ($1, $2)`, [sku, stock]);
  }

  async stockOf(sku: string): Promise<number> {
    const [shelf] = await this.query<{ stock: number }>(`SELECT stock FROM ${this.schema}.shelf WHERE sku = $1`, [sku]);
    if (shelf === undefined) throw new Error(`There is no shelf for ${sku}`);
    return shelf.stock;
  }

  async setStock(sku: string, stock: number): Promise<void> {
    await this.query(`UPDATE ${this.schema}.shelf SET stock = $2 WHERE sku = $1`, [sku, stock]);
  }

  async invoice(sku: string): Promise<void> {
    await this.query(`INSERT INTO ${this.schema}.invoice (sku) VALUES ($1)`, [sku]);
  }

  async invoices(sku: string): Promise<number> {
    const found = await this.query(`SELECT id FROM ${this.schema}.invoice WHERE sku = $1`, [sku]);
    return found.length;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.settings.processNumber === 1) await this.query(`DROP SCHEMA IF EXISTS ${this.schema} CASCADE`);
  }

  /** In the transaction around the caller, if any. */
  private async query<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.transaction.tx.query<readonly Row[]>(sql, [...values]);
  }
}
