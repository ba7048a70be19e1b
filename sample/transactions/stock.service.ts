import { Injectable, NotFoundException } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { sqlFence } from 'nest-redis-lock/fencing';
import { DataSource, type EntityManager } from 'typeorm';

type Rows = readonly { readonly pieces: number; readonly fence: string | null }[];

/** A service that says whether a piece may be sold. It is slow, and no part of the transaction. */
export abstract class Shipping {
  abstract reserve(sku: string): Promise<void>;
}

@Injectable()
export class StockService {
  constructor(
    private readonly locks: LockService,
    private readonly database: DataSource,
    private readonly shipping: Shipping,
  ) {}

  /** Sells one piece: the lock is around both transactions, and its fencing token is in the row. */
  sell(sku: string): Promise<boolean> {
    return this.locks.getFencedLock(`stock:${sku}`).withLock({ wait: '10s' }, async ({ fence }) => {
      const pieces = await this.database.transaction((manager) => this.pieces(manager, sku, fence));
      if (pieces === 0) return false;
      await this.shipping.reserve(sku);
      await this.database.transaction((manager) => this.write(manager, sku, pieces - 1, fence));
      return true;
    });
  }

  /** The same without a lock: two callers read the same number, and one sale is lost. */
  async sellUnlocked(sku: string): Promise<boolean> {
    const [row] = await this.database.query<Rows>('SELECT pieces, fence FROM stock WHERE sku = $1', [sku]);
    if (!row || row.pieces === 0) return false;
    await this.shipping.reserve(sku);
    await this.database.query('UPDATE stock SET pieces = $2 WHERE sku = $1', [sku, row.pieces - 1]);
    return true;
  }

  /** Reads by writing the fence, so that an earlier holder that was frozen cannot write after this. */
  private async pieces(manager: EntityManager, sku: string, fence: bigint): Promise<number> {
    const fenced = sqlFence(fence, { resource: `stock ${sku}`, placeholder: '$2' });
    const text = `UPDATE stock SET ${fenced.set} WHERE sku = $1 AND ${fenced.where} RETURNING pieces, fence`;
    const [rows, count] = await manager.query<[Rows, number]>(text, [sku, fenced.value]);
    await fenced.confirm(count, () => this.lastFence(manager, sku));
    const [row] = rows;
    if (!row) throw new NotFoundException();
    return row.pieces;
  }

  private async write(manager: EntityManager, sku: string, pieces: number, fence: bigint): Promise<void> {
    const fenced = sqlFence(fence, { resource: `stock ${sku}`, placeholder: '$2' });
    const text = `UPDATE stock SET pieces = $3, ${fenced.set} WHERE sku = $1 AND ${fenced.where}`;
    const [, count] = await manager.query<[Rows, number]>(text, [sku, fenced.value, pieces]);
    const isWritten = await fenced.confirm(count, () => this.lastFence(manager, sku));
    if (!isWritten) throw new NotFoundException(); // deleted meanwhile
  }

  private async lastFence(manager: EntityManager, sku: string): Promise<string | null | undefined> {
    const [row] = await manager.query<Rows>('SELECT pieces, fence FROM stock WHERE sku = $1', [sku]);
    return row?.fence;
  }
}
