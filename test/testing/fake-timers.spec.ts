import { Test, type TestingModule } from '@nestjs/testing';
import { LockTimeoutError } from 'nest-redis-lock';
import { LockTesting, LockTestingModule, type LockTestingOptions } from 'nest-redis-lock/testing';
import { caught } from '../kit/caught.js';
import { AppModule, OrderService } from './orders.js';

let app: TestingModule;
let testing: LockTesting;
let orders: OrderService;

const start = async (options: LockTestingOptions): Promise<void> => {
  const locks = LockTestingModule.forRoot({ connections: { default: 'memory', billing: 'memory' } }, options);
  app = await Test.createTestingModule({ imports: [locks], providers: [OrderService] }).compile();
  await app.init();
  testing = app.get(LockTesting);
  orders = app.get(OrderService);
};

beforeEach(() => void jest.useFakeTimers());

afterEach(async () => {
  jest.useRealTimers();
  await app.close();
});

describe('The manual clock, beside the fake timers of jest', () => {
  beforeEach(() => start({}));

  it('ends a wait', async () => {
    await testing.holdElsewhere('order:42');
    const paying = caught(orders.pay('42'), LockTimeoutError);
    await testing.advance('3s');
    expect(await paying).toMatchObject({ lockName: 'order:42' });
  });

  it.each(['plain', 'fair', 'read'] as const)('brings the release of a %s lock to its waiters', async (kind) => {
    const options = kind === 'read' ? ({ mode: 'write' } as const) : { fair: kind === 'fair' };
    const hold = await testing.holdElsewhere('order:42', options);
    const waiting = orders.locks.acquire('order:42', kind === 'read' ? { mode: 'read' } : options);
    expect(await testing.waiters()).toHaveLength(1);
    await hold.release();
    expect(await testing.waiters()).toEqual([]);
    await (await waiting).release();
  });
});

describe('The fake timers of jest as the clock', () => {
  beforeEach(() => start({ clock: 'timers' }));

  it('end a wait and a lease of 30 seconds', async () => {
    await testing.holdElsewhere('order:42', { lease: '30s' });
    const paying = caught(orders.pay('42'), LockTimeoutError);
    await jest.advanceTimersByTimeAsync(3000);
    await paying;
    await jest.advanceTimersByTimeAsync(26_999);
    expect(await orders.locks.tryAcquire('order:42')).toBeNull();
    await jest.advanceTimersByTimeAsync(1);
    expect(await orders.pay('42')).toBe('paid 42');
  });

  it('renew a hold', async () => {
    await orders.during('42', async (hold) => {
      await jest.advanceTimersByTimeAsync(600_000);
      expect(hold.signal.aborted).toBe(false);
    });
  });

  it('are not advanced by advance()', async () => {
    await expect(testing.advance('1s')).rejects.toThrow('advance() moves the manual clock only');
  });
});

describe('An application on the fake timers of jest', () => {
  it('closes while it holds a lock', async () => {
    testing = new LockTesting({ clock: 'timers' });
    app = await testing.override(Test.createTestingModule({ imports: [AppModule] })).compile();
    await app.init();
    await app.get(OrderService).locks.acquire('order:42');
    await app.close();
    expect(await testing.holders()).toHaveLength(1);
  });
});
