import { Propagation, TransactionHost } from '@nestjs-cls/transactional';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { SHOP_NAMES } from './replica.js';
import { spoilCommit } from './sales.js';
import type { GoOn } from './shop.js';
import { TransactionalStock } from './transactional-shop.js';
import { TypeOrmStock } from './typeorm-shop.js';
import { ShopFixture } from './shop-fixture.js';

const SKU = 'apple';

describe('A lock that is kept until a transaction has ended', () => {
  let fixture: ShopFixture;

  beforeAll(async () => {
    fixture = await ShopFixture.start();
  });

  afterAll(() => fixture.stop());

  beforeEach(() => fixture.sales.reset(SKU));

  afterEach(async () => {
    await until(async () => !(await fixture.isLocked(SKU)));
  });

  const isLocked = (): Promise<boolean> => fixture.isLocked(SKU);
  const sold = (): Promise<number> => fixture.sales.sold(SKU);

  describe.each(SHOP_NAMES)('with %s', (name) => {
    const sell = (goOn: GoOn = async () => {}) => fixture.replica.shop(name).untilTransactionEnds(SKU, goOn);

    it('goes to the next after a rollback, which wrote nothing', async () => {
      const decision = new Gate();
      const sorry = sell(async () => {
        await decision.pass();
        throw new Error('not paid');
      });
      await decision.reached;
      const next = sell();
      await until(() => fixture.waitingForLocks === 1);
      decision.open();
      await expect(sorry).rejects.toThrow('not paid');
      await next;
      await expect(sold()).resolves.toBe(1);
    });

    it('goes to the next after a commit that the database refused', async () => {
      await expect(sell(spoilCommit)).rejects.toThrow('duplicate key');
      await sell();
      await expect(sold()).resolves.toBe(1);
    });

    it('goes to the next when the connection was cut', async () => {
      await expect(sell((manager) => fixture.sales.cut(manager))).rejects.toThrow(/already released|terminat/i);
      await sell();
      await expect(sold()).resolves.toBe(1);
    });
  });

  describe('with @nestjs-cls/transactional', () => {
    const stock = (): TransactionalStock => fixture.replica.app.get(TransactionalStock);
    const host = (): TransactionHost => fixture.replica.app.get(TransactionHost);

    it('is kept beyond savepoints, within which the same transaction gets it again', async () => {
      await host().withTransaction(async () => {
        await stock().sellInSavepoint(SKU);
        await expect(isLocked()).resolves.toBe(true);
        await stock().sellInSavepoint(SKU);
        const undone = host().withTransaction(Propagation.Nested, async () => {
          await stock().sellUntilEnd(SKU);
          throw new Error('one too many');
        });
        await expect(undone).rejects.toThrow('one too many');
        await expect(isLocked()).resolves.toBe(true);
        await expect(sold()).resolves.toBe(0);
      });
      await expect(sold()).resolves.toBe(2);
    });

    it('is free when a transaction of its own inside another one has been committed', async () => {
      await host().withTransaction(async () => {
        await stock().sellOnItsOwn(SKU);
        await until(async () => !(await isLocked()));
        await expect(sold()).resolves.toBe(1);
        await stock().sellUntilEnd(SKU);
        await expect(isLocked()).resolves.toBe(true);
      });
      await expect(sold()).resolves.toBe(2);
    });
  });

  describe('with TypeORM', () => {
    const stock = (): TypeOrmStock => fixture.replica.app.get(TypeOrmStock);

    it('is kept beyond savepoints, within which the same transaction gets it again', async () => {
      await fixture.replica.database.transaction(async (manager) => {
        await manager.transaction((savepoint) => stock().sellUntilEnd(SKU, savepoint));
        await expect(isLocked()).resolves.toBe(true);
        const undone = manager.transaction(async (savepoint) => {
          await stock().sellUntilEnd(SKU, savepoint);
          throw new Error('one too many');
        });
        await expect(undone).rejects.toThrow('one too many');
        await expect(isLocked()).resolves.toBe(true);
        await expect(sold()).resolves.toBe(0);
      });
      await expect(sold()).resolves.toBe(1);
    });

    it('is kept by a query runner driven by hand, from one transaction to the next', async () => {
      const runner = fixture.replica.database.createQueryRunner();
      for (const end of ['commitTransaction', 'rollbackTransaction'] as const) {
        await runner.startTransaction();
        await stock().sellUntilEnd(SKU, runner.manager);
        await expect(isLocked()).resolves.toBe(true);
        await runner[end]();
        await until(async () => !(await isLocked()));
        await expect(sold()).resolves.toBe(1);
      }
      await runner.release();
    });

    it('is free as soon as the connection was cut, although the query runner is not told', async () => {
      const runner = fixture.replica.database.createQueryRunner();
      await runner.startTransaction();
      await stock().sellUntilEnd(SKU, runner.manager);
      await expect(isLocked()).resolves.toBe(true);
      await fixture.sales.cut(runner.manager);
      await until(async () => !(await isLocked()));
      await expect(runner.commitTransaction()).rejects.toThrow('already released');
      await expect(sold()).resolves.toBe(0);
    });
  });
});
