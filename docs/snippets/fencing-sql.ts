import { Injectable, NotFoundException } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { sqlFence } from 'nest-redis-lock/fencing';

/** What is used of a `Pool` of `pg`. */
export abstract class Database {
  abstract query(
    text: string,
    values: unknown[],
  ): Promise<{ rowCount: number | null; rows: { balance: number; fence: string | null }[] }>;
}

@Injectable()
export class Ledger {
  constructor(
    private readonly locks: LockService,
    private readonly database: Database,
  ) {}

  // ALTER TABLE ledger ADD COLUMN fence BIGINT;
  async add(id: string, amount: number): Promise<void> {
    await this.locks.getFencedLock(`ledger:${id}`).withLock(async ({ fence }) => {
      const fenced = sqlFence(fence, { resource: `ledger ${id}`, placeholder: '$2' });
      const last = async () => (await this.query('SELECT fence FROM ledger WHERE id = $1', [id])).rows[0]?.fence;
      // Reads by an UPDATE that sets the fence: from here on, writes of earlier holders are refused.
      const read = await this.query(
        `UPDATE ledger SET ${fenced.set} WHERE id = $1 AND ${fenced.where} RETURNING balance, fence`,
        [id, fenced.value],
      );
      await fenced.confirm(read.rowCount, last); // throws StaleFenceError
      const [row] = read.rows;
      if (!row) throw new NotFoundException();
      const { rowCount } = await this.query(
        `UPDATE ledger SET balance = $3, ${fenced.set} WHERE id = $1 AND ${fenced.where}`,
        [id, fenced.value, row.balance + amount],
      );
      if (!(await fenced.confirm(rowCount, last))) throw new NotFoundException(); // deleted meanwhile
    });
  }

  private query(text: string, values: unknown[]) {
    return this.database.query(text, values);
  }
}
