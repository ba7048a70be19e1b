import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  LOCK_OPTIONS,
  LockOptionsError,
  LockService,
  LockTimeoutError,
  RedisLockModule,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { LockTesting, LockTestingModule } from 'nest-redis-lock/testing';
import { caught } from '../kit/caught.js';
import { AppModule, OrderService } from './orders.js';

describe('LockTesting.override()', () => {
  it('locks the real application in memory, its decorators and its service', async () => {
    const testing = new LockTesting();
    const app = await testing.override(Test.createTestingModule({ imports: [AppModule] })).compile();
    await app.init();
    const orders = app.get(OrderService);
    await testing.holdElsewhere('order:42');
    const paying = caught(orders.pay('42'), LockTimeoutError);
    await testing.advance('3s');
    await paying;
    expect(await orders.locks.tryAcquire('order:42')).toBeNull();
    expect(await orders.invoice('7')).toBe('invoiced 7');
    expect(testing.lockedCalls().map(({ method }) => method)).toEqual(['OrderService.pay', 'OrderService.invoice']);
    await testing.expectNoLeakedLocks();
    await app.close();
  });

  it('lets two applications exclude each other, as two replicas', async () => {
    const testing = new LockTesting();
    const compile = () => testing.override(Test.createTestingModule({ imports: [AppModule] })).compile();
    const [one, other] = [await compile(), await compile()];
    const hold = await one.get(OrderService).locks.acquire('order:42');
    const paying = other.get(OrderService).pay('42');
    expect(await testing.waiters()).toHaveLength(1);
    await hold.release();
    await testing.advance(0);
    expect(await paying).toBe('paid 42');
    await Promise.all([one.close(), other.close()]);
  });
});

describe('LockTesting with two applications', () => {
  const compile = (testing: LockTesting, options: RedisLockOptions) =>
    testing.override(Test.createTestingModule({ imports: [RedisLockModule.forRoot(options)] })).compile();

  it('holds locks elsewhere on the connections of each', async () => {
    const testing = new LockTesting();
    const one = await compile(testing, { connections: { default: 'memory' } });
    const other = await compile(testing, { connections: { default: 'memory', billing: 'memory' } });
    await testing.holdElsewhere('order:42');
    await testing.holdElsewhere('invoice:7', { connection: 'billing' });
    expect(await one.get(LockService).tryAcquire('order:42')).toBeNull();
    expect(await other.get(LockService).tryAcquire('order:42')).toBeNull();
    expect(await other.get(LockService).tryAcquire('invoice:7', { connection: 'billing' })).toBeNull();
    const refused = await caught(testing.holdElsewhere('invoice:7', { connection: 'shipping' }), LockOptionsError);
    expect(refused.message).toContain('"shipping"');
    await Promise.all([one.close(), other.close()]);
  });

  it('refuses to guess which of two prefixes a lock held elsewhere has', async () => {
    const testing = new LockTesting();
    const one = await compile(testing, { connection: 'memory', keyPrefix: 'one:' });
    const other = await compile(testing, { connection: 'memory', keyPrefix: 'other:' });
    const refused = await caught(testing.holdElsewhere('order:42'), LockOptionsError);
    expect(refused.message).toContain('"one:" and "other:" as keyPrefix');
    expect(await testing.holders()).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });
});

@Module({ imports: [RedisLockModule.forRoot({ connection: 'redis://redis.invalid:6379' })] })
class LocksModule {}

describe('LockTestingModule', () => {
  it('replaces the module of an application that imports RedisLockModule', async () => {
    const connections = { default: 'memory', billing: 'memory' };
    const app = await Test.createTestingModule({ imports: [LocksModule], providers: [OrderService] })
      .overrideModule(LocksModule)
      .useModule(LockTestingModule.forRoot({ connections }))
      .compile();
    await app.init();
    expect(await app.get(OrderService).pay('42')).toBe('paid 42');
    expect(app.get(LockTesting).lockedCalls()).toMatchObject([{ method: 'OrderService.pay', names: ['order:42'] }]);
    await app.close();
  });
});

describe('LOCK_OPTIONS', () => {
  it('replaces the options of the real application', async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(LOCK_OPTIONS)
      .useValue({ connections: { default: 'memory', billing: 'memory' } })
      .compile();
    await app.init();
    expect(await app.get(OrderService).pay('42')).toBe('paid 42');
    await app.close();
  });
});

describe('D63: Two kits for one application', () => {
  const message =
    'two LockTesting were given for one application, and one of them would see none of its locks; give one';

  it('are refused where both override it', () => {
    const builder = new LockTesting().override(Test.createTestingModule({ imports: [AppModule] }));
    expect(() => new LockTesting().override(builder)).toThrow(new LockOptionsError(message));
  });

  it('are refused where one overrides the module of the other', async () => {
    const builder = Test.createTestingModule({ imports: [LockTestingModule.forRoot()] });
    const refused = await caught(new LockTesting().override(builder).compile(), LockOptionsError);
    expect(refused.message).toBe(message);
  });

  it('are refused where the module is imported twice', async () => {
    const imports = [LockTestingModule.forRoot(), LockTestingModule.forRoot()];
    const app = await Test.createTestingModule({ imports }).compile();
    await expect(app.init()).rejects.toThrow('RedisLockModule.forRoot() is imported twice');
  });

  it('are one if the same kit is given twice', async () => {
    const testing = new LockTesting();
    const builder = Test.createTestingModule({ imports: [LockTestingModule.forRoot({}, testing)] });
    const app = await testing.override(testing.override(builder)).compile();
    expect(app.get(LockTesting)).toBe(testing);
    await app.close();
  });
});
