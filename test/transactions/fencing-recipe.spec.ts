import { Client } from 'pg';
import { until } from '../kit/until.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { PostgresServer } from '../servers/postgres/postgres-server.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './accounts.worker.js';

/** Watchdog time-out of the process that is frozen, ms. */
const WATCHDOG = 900;
/** One that no stall outlasts, ms. */
const LONG_WATCHDOG = 30_000;

describe('A transaction that begins with its fence', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let database: Client;

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
    database = new Client({ connectionString: postgres.url });
    await database.connect();
    await database.query('CREATE TABLE fences (resource TEXT PRIMARY KEY, fence BIGINT)');
    await database.query('CREATE TABLE accounts (id TEXT PRIMARY KEY, balance BIGINT NOT NULL)');
    await database.query('CREATE TABLE bookings (account TEXT NOT NULL, amount BIGINT NOT NULL)');
  });

  beforeEach(async () => {
    await database.query('TRUNCATE fences, accounts, bookings');
    await database.query("INSERT INTO accounts VALUES ('7', 100)");
  });

  afterAll(async () => {
    await database.end();
    await Promise.all([redis.stop(), postgres.stop()]);
  });

  const start = (renewedLease: number): Promise<Worker<typeof api>> =>
    Worker.start<typeof api>(new URL('./accounts.worker.ts', import.meta.url), {
      args: [redis.url, postgres.url, String(renewedLease)],
    });
  const rows = async (query: string): Promise<readonly object[]> => (await database.query(query)).rows;

  it('is rolled back if its process was frozen for longer than its lease', async () => {
    await using frozen = await start(WATCHDOG);
    await using next = await start(LONG_WATCHDOG);
    const late = frozen.call('withdraw', '7', 60).then(
      () => 'done',
      (error: unknown) => error,
    );
    await frozen.call('checking');
    frozen.kill('SIGSTOP');
    await next.call('agree');
    await next.call('withdraw', '7', 30);
    frozen.kill('SIGCONT');
    await frozen.call('agree');
    await expect(late).resolves.toMatchObject({ code: 'LOCK_STALE_FENCE' });
    await expect(rows('SELECT * FROM accounts')).resolves.toEqual([{ id: '7', balance: '70' }]);
    await expect(rows('SELECT * FROM bookings')).resolves.toEqual([{ account: '7', amount: '-30' }]);
    // With a hold of its own it reads anew, and goes on.
    await frozen.call('withdraw', '7', 60);
    await expect(rows('SELECT * FROM accounts')).resolves.toEqual([{ id: '7', balance: '10' }]);
  });

  it('is committed before the next holder reads, if its process was frozen in the middle of it', async () => {
    await using frozen = await start(WATCHDOG);
    await using next = await start(LONG_WATCHDOG);
    await Promise.all([frozen.call('agree'), next.call('agree')]);
    await frozen.call('holdCommit', 2);
    const first = frozen.call('withdraw', '7', 60);
    await frozen.call('committing');
    frozen.kill('SIGSTOP');
    const second = next.call('withdraw', '7', 30);
    const waiting = "SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    await until(async () => (await rows(waiting)).length === 1);
    frozen.kill('SIGCONT');
    await frozen.call('commit');
    await Promise.all([first, second]);
    await expect(rows('SELECT * FROM accounts')).resolves.toEqual([{ id: '7', balance: '10' }]);
    await expect(rows('SELECT * FROM bookings')).resolves.toHaveLength(2);
  });
});
