import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { transactionEnd, type TransactionSource } from 'nest-redis-lock/typeorm';
import { DataSource, type EntityManager, type QueryRunner, Repository } from 'typeorm';
import { runtimeOf, start } from './applications.js';
import { until } from '../kit/until.js';

interface UnitOfWork {
  readonly manager?: EntityManager | undefined;
}

@Injectable()
class Stock {
  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd() })
  async take(sku: string, _source?: TransactionSource, _other?: TransactionSource): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd((_: string, work: UnitOfWork) => work.manager) })
  async takeFor(sku: string, _work: UnitOfWork): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd(() => 'manager' as never) })
  async takeWrongly(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd() })
  async begin(_sku: string, runner: QueryRunner): Promise<void> {
    await runner.startTransaction();
  }
}

/** TypeORM without a database. It records statements instead of sending them. */
class Offline extends DataSource {
  readonly statements: string[] = [];

  override createQueryRunner(): QueryRunner {
    const runner = super.createQueryRunner();
    const query = async (statement: string): Promise<unknown> => this.statements.push(statement);
    return Object.assign(runner, { query });
  }
}

describe('transactionEnd of nest-redis-lock/typeorm', () => {
  let database: Offline;
  let app: TestingModule;
  let stock: Stock;

  const isLocked = (name = 'stock:7'): Promise<boolean> => app.get(LockService).getLock(name).isLocked();
  const isFree = async (): Promise<boolean> => !(await isLocked());

  const begun = async (): Promise<QueryRunner> => {
    const runner = database.createQueryRunner();
    await runner.startTransaction();
    return runner;
  };

  beforeEach(async () => {
    database = new Offline({ type: 'postgres' });
    app = await start({ providers: [Stock] });
    stock = app.get(Stock);
  });

  afterEach(async () => {
    await app.close();
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it.each([
    ['its manager', (runner: QueryRunner) => [runner.manager]],
    ['its query runner', (runner: QueryRunner) => [runner]],
    ['a repository', (runner: QueryRunner) => [new Repository('Item', runner.manager)]],
    ['several of it', (runner: QueryRunner) => [runner, runner.manager]],
    ['another manager as well', (runner: QueryRunner) => [database.manager, runner.manager]],
  ])('keeps the lock until the transaction has ended, given %s', async (_, sourcesOf) => {
    const runner = await begun();
    const [source, other] = sourcesOf(runner);
    await expect(stock.take('7', source, other)).resolves.toBe('took 7');
    await expect(isLocked()).resolves.toBe(true);
    await runner.commitTransaction();
    await until(isFree);
  });

  it('keeps it beyond savepoints, and for a transaction that is committed by a callback', async () => {
    await database.transaction(async (manager) => {
      await manager.transaction((nested) => stock.take('7', nested));
      await expect(isLocked()).resolves.toBe(true);
      await manager.transaction((nested) => stock.take('7', nested));
      const undone = manager.transaction(async (nested) => {
        await stock.take('7', nested);
        throw new Error('sold out');
      });
      await expect(undone).rejects.toThrow('sold out');
      await expect(isLocked()).resolves.toBe(true);
    });
    await until(isFree);
    expect(database.statements.filter((statement) => /^(START|COMMIT)/.test(statement))).toHaveLength(2);
  });

  it('releases when the query runner is released in the midst of it', async () => {
    const runner = await begun();
    await stock.take('7', runner);
    await expect(isLocked()).resolves.toBe(true);
    await runner.release();
    await until(isFree);
  });

  it('leaves nothing behind on the query runner, whose next transaction is another one', async () => {
    const runner = await begun();
    const flags = () =>
      Object.getOwnPropertyDescriptors({ ...runner, flags: [runner.isTransactionActive, runner.isReleased] });
    const before = flags();
    await stock.take('7', runner);
    await runner.commitTransaction();
    await until(isFree);
    await runner.startTransaction();
    expect(flags()).toEqual(before);
    await stock.take('7', runner);
    await expect(isLocked()).resolves.toBe(true);
    await runner.commitTransaction();
    await until(isFree);
  });

  it('keeps it for a transaction that the method itself began', async () => {
    const runner = database.createQueryRunner();
    await stock.begin('7', runner);
    await expect(isLocked()).resolves.toBe(true);
    await runner.commitTransaction();
    await until(isFree);
  });

  it('releases at once outside any transaction', async () => {
    const runner = await begun();
    await runner.commitTransaction();
    for (const source of [database.manager, database.createQueryRunner(), runner]) {
      await stock.take('7', source);
      await expect(isLocked()).resolves.toBe(false);
    }
  });

  it('uses a function that picks the transaction, if any', async () => {
    const runner = await begun();
    await stock.takeFor('7', { manager: runner.manager });
    await expect(isLocked()).resolves.toBe(true);
    await runner.commitTransaction();
    await until(isFree);
    await stock.takeFor('7', {});
    await expect(isLocked()).resolves.toBe(false);
  });

  it.each([
    ['nothing of TypeORM', () => stock.take('7'), 'finds none of them among the arguments'],
    ['several query runners', async () => stock.take('7', await begun(), await begun()), 'several query runners'],
    ['what is none', () => stock.takeWrongly('7'), 'was given "manager"'],
    [
      'what cannot be watched',
      async () => stock.take('7', Object.freeze(await begun())),
      'cannot watch object PostgresQueryRunner',
    ],
  ])('refuses a call with %s, before it is locked', async (_, call, message) => {
    const refused = await call().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(LockOptionsError);
    expect(refused).toMatchObject({ message: expect.stringContaining(message) as string });
    await expect(isLocked()).resolves.toBe(false);
  });
});
