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
    await this.locks.getFencedLock(`ledger:${id}`).withLock(async (hold) => {
      const row = await this.read(id);
      if (!row) throw new NotFoundException();
      const fenced = sqlFence(hold.fence, { resource: `ledger ${id}`, placeholder: '$3' });
      const { rowCount } = await this.database.query(
        `UPDATE ledger SET balance = $1, ${fenced.set} WHERE id = $2 AND ${fenced.where}`,
        [row.balance + amount, id, fenced.value],
      );
      await fenced.confirm(rowCount, async () => (await this.read(id))?.fence); // throws StaleFenceError
    });
  }

  private async read(id: string) {
    const { rows } = await this.database.query('SELECT balance, fence FROM ledger WHERE id = $1', [id]);
    return rows[0];
  }
}
