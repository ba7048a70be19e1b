import { Pool } from 'pg';
import { LockService, StaleFenceError } from 'nest-redis-lock';
import { sqlFence } from 'nest-redis-lock/fencing';
import { DataSource, EntitySchema } from 'typeorm';
import { caught } from '../kit/caught.js';
import { openClient } from '../kit/client.js';
import { PostgresServer } from '../servers/postgres/postgres-server.js';

interface Ledger {
  readonly id: number;
  readonly balance: number;
  readonly fence: string | null;
}

const LEDGER = new EntitySchema<Ledger>({
  name: 'ledger',
  columns: {
    id: { type: 'int', primary: true },
    balance: { type: 'int' },
    fence: { type: 'bigint', nullable: true },
  },
});

/** Above 2^53, where numbers are no longer exact. */
const FENCE = 2n ** 60n + 1n;

/** Ends a pool, and resolves when its connections are closed, for which `end()` does not wait. */
const closeAll = async (pool: Pool): Promise<void> => {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
};

describe('sqlFence on PostgreSQL', () => {
  let server: PostgresServer;
  let pool: Pool;
  let database: DataSource;

  beforeAll(async () => {
    server = await PostgresServer.start();
    pool = new Pool({ connectionString: server.url });
    database = await new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [LEDGER],
      synchronize: true,
    }).initialize();
  });

  afterAll(async () => {
    await closeAll(pool);
    await database.destroy();
    await server.stop();
  });

  beforeEach(() => pool.query('DELETE FROM ledger'));

  const byPool = async (id: number, balance: number, fence: bigint): Promise<boolean> => {
    const fenced = sqlFence(fence, { resource: `ledger ${id}`, placeholder: '$3' });
    const { rowCount } = await pool.query(
      `UPDATE ledger SET balance = $1, ${fenced.set} WHERE id = $2 AND ${fenced.where}`,
      [balance, id, fenced.value],
    );
    return fenced.confirm(rowCount, async () => {
      const { rows } = await pool.query('SELECT fence FROM ledger WHERE id = $1', [id]);
      return rows[0]?.['fence'];
    });
  };

  const byTypeOrm = async (id: number, balance: number, fence: bigint): Promise<boolean> => {
    const fenced = sqlFence(fence, { resource: `ledger ${id}`, placeholder: ':fence' });
    const { affected } = await database
      .createQueryBuilder()
      .update(LEDGER)
      .set({ balance, fence: fenced.value })
      .where('id = :id', { id })
      .andWhere(fenced.where, fenced.parameters)
      .execute();
    return fenced.confirm(affected, async () => (await database.getRepository(LEDGER).findOneBy({ id }))?.fence);
  };

  const row = async (): Promise<Ledger | null> => database.getRepository(LEDGER).findOneBy({ id: 42 });

  describe.each([
    ['pg', byPool],
    ['TypeORM', byTypeOrm],
  ])('with %s', (_, write) => {
    beforeEach(() => pool.query('INSERT INTO ledger (id, balance) VALUES (42, 0)'));

    it('writes a row that has no fence yet, again with the same fence, and with a later one', async () => {
      await expect(write(42, 1, FENCE)).resolves.toBe(true);
      await expect(write(42, 2, FENCE)).resolves.toBe(true);
      await expect(write(42, 3, FENCE + 1n)).resolves.toBe(true);
      await expect(row()).resolves.toEqual({ id: 42, balance: 3, fence: String(FENCE + 1n) });
    });

    it('refuses a stale writer, and changes nothing', async () => {
      await write(42, 1, FENCE);
      const error = await caught(write(42, 2, FENCE - 1n), StaleFenceError);
      expect(error).toMatchObject({ resource: 'ledger 42', fence: FENCE - 1n, lastFence: FENCE });
      await expect(row()).resolves.toEqual({ id: 42, balance: 1, fence: String(FENCE) });
    });

    it('says that a row is missing', async () => {
      await expect(write(7, 1, FENCE)).resolves.toBe(false);
    });

    it('keeps the write of the latest fence, in whatever order writers come', async () => {
      const fences = Array.from({ length: 20 }, (_each, index) => FENCE + BigInt(index));
      const shuffled = fences.toSorted((a, b) => Number((a * 7n) % 20n) - Number((b * 7n) % 20n));
      const outcomes = await Promise.allSettled(shuffled.map((fence) => write(42, Number(fence - FENCE), fence)));
      const refused = outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refused.filter((reason) => !(reason instanceof StaleFenceError))).toEqual([]);
      await expect(row()).resolves.toMatchObject({ balance: 19, fence: String(FENCE + 19n) });
    });
  });

  it('refuses a holder that lost its lock and writes after the next one', async () => {
    await pool.query('INSERT INTO ledger (id, balance) VALUES (42, 0)');
    const client = openClient({ connection: 'memory' });
    const locks: LockService = client.locks;
    const late = await locks.getFencedLock('ledger:42').acquire();
    await locks.getLock('ledger:42').forceRelease();
    const next = await locks.getFencedLock('ledger:42').acquire();
    await expect(byPool(42, 2, next.fence)).resolves.toBe(true);
    await expect(caught(byPool(42, 1, late.fence), StaleFenceError)).resolves.toMatchObject({ lastFence: next.fence });
    await expect(row()).resolves.toMatchObject({ balance: 2 });
    await client.close();
  });
});
