import { Test, type TestingModule } from '@nestjs/testing';
import { LockLostError, LockTimeoutError } from 'nest-redis-lock';
import { LockTesting, LockTestingModule } from 'nest-redis-lock/testing';
import { OrdersModule } from './orders.module.js';
import { OrdersService } from './orders.service.js';

describe('OrdersService', () => {
  let app: TestingModule;
  let orders: OrdersService;
  let testing: LockTesting;

  beforeEach(async () => {
    const builder = Test.createTestingModule({ imports: [LockTestingModule.forRoot()], providers: [OrdersService] });
    app = await builder.compile();
    await app.init();
    orders = app.get(OrdersService);
    testing = app.get(LockTesting);
  });

  afterEach(async () => {
    await testing.expectNoLeakedLocks();
    await app.close();
  });

  it('pays under the lock of the order', async () => {
    await expect(orders.pay('42')).resolves.toBe('paid 42');
    expect(testing.lockedCalls()).toMatchObject([{ names: ['order:42'] }]);
  });

  it('gives up after three seconds', async () => {
    const hold = await testing.holdElsewhere('order:42');
    const [refused] = await Promise.allSettled([orders.pay('42'), testing.advance('3s')]);
    expect(refused).toMatchObject({ reason: expect.any(LockTimeoutError) });
    await hold.release();
  });

  it('waits for the end of a lease of 30 seconds, in a fraction of them', async () => {
    const began = performance.now();
    await testing.holdElsewhere('shipment:42', { lease: '30s' });
    const shipping = orders.ship('42');
    await testing.advance('29s');
    expect(orders.shipped).toEqual([]);
    await testing.advance('2s');
    await shipping;
    expect(orders.shipped).toEqual(['42']);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it('stops packing when the lock is lost', async () => {
    const packing = orders.pack('42', new Promise(() => {}));
    await testing.advance(0);
    await testing.loseLock('parcel:42');
    await expect(packing).resolves.toBeInstanceOf(LockLostError);
  });
});

describe('OrdersModule', () => {
  it('runs without its Redis', async () => {
    const testing = new LockTesting();
    const app = await testing.override(Test.createTestingModule({ imports: [OrdersModule] })).compile();
    await app.init();
    await testing.holdElsewhere('order:42');
    const [refused] = await Promise.allSettled([app.get(OrdersService).pay('42'), testing.advance('3s')]);
    expect(refused).toMatchObject({ reason: expect.any(LockTimeoutError) });
    await app.close();
  });
});
