// src/orders.service.spec.ts
import { Test, type TestingModule } from '@nestjs/testing';
import { LockTimeoutError } from 'nest-redis-lock';
import { lockedOptions, LockTesting, LockTestingModule } from 'nest-redis-lock/testing';
import { OrdersService } from './orders.service.js';

describe('OrdersService', () => {
  let app: TestingModule;
  let testing: LockTesting;

  beforeEach(async () => {
    app = await Test.createTestingModule({
      imports: [LockTestingModule.forRoot()],
      providers: [OrdersService],
    }).compile();
    await app.init();
    testing = app.get(LockTesting);
  });

  afterEach(async () => {
    await testing.expectNoLeakedLocks();
    await app.close();
  });

  it('is locked by order', () => {
    expect(lockedOptions(OrdersService.prototype.pay)).toMatchObject({ key: 'order:<0>' });
  });

  it('gives up after ten seconds', async () => {
    await testing.holdElsewhere('order:42');
    const paying = app.get(OrdersService).pay('42');
    await Promise.all([expect(paying).rejects.toThrow(LockTimeoutError), testing.advance('10s')]);
  });
});
