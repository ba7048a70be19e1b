import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  ClsPluginTransactional,
  getTransactionHostToken,
  Propagation,
  Transactional,
  type TransactionalAdapter,
  type TransactionHost,
} from '@nestjs-cls/transactional';
import { ClsModule } from 'nestjs-cls';
import { Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { announcingEnd, trackTransactions, transactionEnd } from 'nest-redis-lock/transactional';
import { runtimeOf, start } from './applications.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

/**
 * A database whose transactions are all that matters. Each is a client, and its commit lasts until the test says so.
 */
class Database {
  readonly commits: Gate[] = [];

  adapter(savepoints = true): TransactionalAdapter<undefined, object, object> {
    const wrapWithTransaction = async (
      _: object,
      fn: () => Promise<unknown>,
      setClient: (client?: object) => void,
    ): Promise<unknown> => {
      setClient({});
      const result = await fn();
      await this.commits.shift()?.pass();
      return result;
    };
    const nested = async (...[, fn, setClient]: Parameters<typeof wrapWithTransaction>): Promise<unknown> => {
      setClient({});
      return fn();
    };
    return {
      connection: undefined,
      optionsFactory: () => ({
        wrapWithTransaction,
        ...(savepoints ? { wrapWithNestedTransaction: nested } : {}),
        getFallbackInstance: () => this,
      }),
    };
  }

  /** Makes the next transaction stop at its commit. */
  nextCommit(): Gate {
    const pause = new Gate();
    this.commits.push(pause);
    return pause;
  }
}

@Injectable()
class Stock {
  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd() })
  async take(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('order:<0>', { wait: '5s', releaseAfter: transactionEnd('orders') })
  async order(id: string): Promise<string> {
    return `ordered ${id}`;
  }

  @Locked('stock:<0>', { releaseAfter: transactionEnd('plain') })
  async takePlainly(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { releaseAfter: transactionEnd('nowhere') })
  async takeNowhere(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Transactional()
  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd() })
  async inside(sku: string): Promise<string> {
    return `took ${sku}`;
  }

  @Locked('stock:<0>', { wait: '5s', releaseAfter: transactionEnd() })
  @Transactional()
  async around(sku: string): Promise<string> {
    return `took ${sku}`;
  }
}

describe('transactionEnd of nest-redis-lock/transactional', () => {
  let database: Database;
  let orders: Database;
  let app: TestingModule;
  let stock: Stock;
  let host: TransactionHost;

  const isLocked = (name: string): Promise<boolean> => app.get(LockService).getLock(name).isLocked();
  const hostOf = (name?: string): TransactionHost => app.get(getTransactionHostToken(name), { strict: false });

  beforeEach(async () => {
    database = new Database();
    orders = new Database();
    const plugins = [
      new ClsPluginTransactional({ adapter: trackTransactions(database.adapter()) }),
      new ClsPluginTransactional({ connectionName: 'orders', adapter: trackTransactions(orders.adapter(false)) }),
      new ClsPluginTransactional({ connectionName: 'plain', adapter: new Database().adapter() }),
    ];
    app = await start({ imports: [ClsModule.forRoot({ plugins })], providers: [Stock] });
    stock = app.get(Stock);
    host = hostOf();
  });

  afterEach(async () => {
    await app.close();
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('tracks an adapter by the old name as well', () => {
    expect(announcingEnd).toBe(trackTransactions);
  });

  it('keeps the lock until the commit is over, and then grants it to the next waiter', async () => {
    const commit = database.nextCommit();
    const first = stock.inside('7');
    await commit.reached;
    await expect(isLocked('stock:7')).resolves.toBe(true);
    const second = stock.inside('7');
    await until(() => runtimeOf(app).acquirer.contended === 1);
    commit.open();
    await expect(first).resolves.toBe('took 7');
    await expect(second).resolves.toBe('took 7');
    await until(async () => !(await isLocked('stock:7')));
  });

  it('keeps it until the rollback is over', async () => {
    const sorry = host.withTransaction(async () => {
      await stock.take('7');
      await expect(isLocked('stock:7')).resolves.toBe(true);
      throw new Error('sold out');
    });
    await expect(sorry).rejects.toThrow('sold out');
    await until(async () => !(await isLocked('stock:7')));
  });

  it.each([Propagation.Required, Propagation.Nested, Propagation.Mandatory, Propagation.Supports])(
    'keeps it until the outermost transaction has ended, with propagation %s',
    async (propagation) => {
      await host.withTransaction(async () => {
        await host.withTransaction(propagation, () => stock.take('7'));
        await host.withTransaction(propagation, () => stock.take('7'));
        await expect(isLocked('stock:7')).resolves.toBe(true);
      });
      await until(async () => !(await isLocked('stock:7')));
    },
  );

  it.each([
    [Propagation.RequiresNew, undefined],
    // The adapter of `orders` knows no savepoints.
    [Propagation.Nested, 'orders'],
  ])('knows the end of a transaction inside another one, with propagation %s', async (propagation, name) => {
    const lock = name === undefined ? 'stock:8' : 'order:8';
    const take = (id: string) => (name === undefined ? stock.take(id) : stock.order(id));
    await hostOf(name).withTransaction(async () => {
      await take('7');
      await hostOf(name).withTransaction(propagation, () => take('8'));
      await until(async () => !(await isLocked(lock)));
      await take('8');
      expect(runtimeOf(app).grants.size).toBe(2);
    });
    await until(() => runtimeOf(app).grants.size === 0);
  });

  it('releases at once outside any transaction, also where one is suspended', async () => {
    await stock.take('7');
    await expect(isLocked('stock:7')).resolves.toBe(false);
    await stock.around('7');
    await expect(isLocked('stock:7')).resolves.toBe(false);
    await host.withTransaction(async () => {
      await host.withTransaction(Propagation.NotSupported, () => stock.take('7'));
      await expect(isLocked('stock:7')).resolves.toBe(false);
    });
  });

  it('waits for the transaction of the connection that it names', async () => {
    await hostOf('orders').withTransaction(async () => {
      await host.withTransaction(async () => {
        await stock.take('7');
        await stock.order('7');
      });
      await until(async () => !(await isLocked('stock:7')));
      await expect(isLocked('order:7')).resolves.toBe(true);
    });
    await until(async () => !(await isLocked('order:7')));
  });

  it('refuses calls whose end it cannot observe, before they are locked', async () => {
    await expect(stock.takeNowhere('7')).rejects.toThrow(LockOptionsError);
    await expect(stock.takeNowhere('7')).rejects.toThrow('no ClsPluginTransactional with connectionName "nowhere"');
    await expect(stock.takePlainly('7')).resolves.toBe('took 7');
    await hostOf('plain').withTransaction(async () => {
      await expect(stock.takePlainly('7')).rejects.toThrow(LockOptionsError);
      await expect(stock.takePlainly('7')).rejects.toThrow('wrap its adapter in trackTransactions(…)');
      await expect(isLocked('stock:7')).resolves.toBe(false);
    });
  });
});
