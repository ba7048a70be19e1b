import { Client } from 'pg';
import { createLocks } from '../../lib/index.js';
import { Accounts, Database, FraudCheck } from '../../docs/recipes/fencing-with-sql/accounts.js';
import type { Queries } from '../../docs/recipes/fencing-with-sql/fence-transaction.js';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , redis = '', postgres = '', renewedLease = ''] = process.argv;
const locks = createLocks({ connection: redis, probe: false, renewedLease: Number(renewedLease) });
const check = new Gate();
const commit = new Gate();
/** The transaction that is held before its COMMIT, and the number of those that came so far. */
let held = 0;
let transactions = 0;

class OneConnectionEach extends Database {
  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: postgres });
    await client.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      transactions += 1;
      if (transactions === held) await commit.pass();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      await client.end();
    }
  }
}

/** Agrees when the test says so. */
class GatedCheck extends FraudCheck {
  override approve(): Promise<void> {
    return check.pass();
  }
}

/** The process of a bank. */
export const api = {
  withdraw: async (account: string, amount: number): Promise<void> =>
    new Accounts(await locks, new OneConnectionEach(), new GatedCheck()).withdraw(account, amount),
  /** Resolves when a withdrawal waits for the check. */
  checking: (): Promise<void> => check.reached,
  agree: async (): Promise<void> => check.open(),
  /** Holds the transaction of that number before its COMMIT. */
  holdCommit: async (of: number): Promise<void> => {
    held = of;
  },
  /** Resolves when a transaction is held. */
  committing: (): Promise<void> => commit.reached,
  commit: async (): Promise<void> => commit.open(),
};

serve(api);
