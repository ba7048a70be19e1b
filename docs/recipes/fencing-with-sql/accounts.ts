import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { fenceTransaction, type Queries } from './fence-transaction.js';

export abstract class Database {
  /** Runs `work` between BEGIN and COMMIT on one connection, and rolls back if it throws. */
  abstract transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

/** A slow service that has to agree. */
export abstract class FraudCheck {
  abstract approve(account: string, amount: number): Promise<void>;
}

@Injectable()
export class Accounts {
  constructor(
    private readonly locks: LockService,
    private readonly database: Database,
    private readonly fraud: FraudCheck,
  ) {}

  async withdraw(account: string, amount: number): Promise<void> {
    const resource = `account:${account}`;
    await this.locks.getFencedLock(resource).withLock(async ({ fence }) => {
      const fenced = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
        this.database.transaction(async (queries) => {
          await fenceTransaction(queries, resource, fence);
          return work(queries);
        });
      const balance = await fenced((queries) => this.balance(queries, account));
      if (balance < amount) throw new Error('The balance is too low');
      await this.fraud.approve(account, amount);
      await fenced(async (queries) => {
        await queries.query('UPDATE accounts SET balance = $1 WHERE id = $2', [balance - amount, account]);
        await queries.query('INSERT INTO bookings (account, amount) VALUES ($1, $2)', [account, -amount]);
      });
    });
  }

  private async balance(queries: Queries, account: string): Promise<number> {
    const { rows } = await queries.query('SELECT balance FROM accounts WHERE id = $1', [account]);
    return Number(rows[0]?.['balance'] ?? 0);
  }
}
