import { LockService } from 'nest-redis-lock';
import { FakeLocks } from 'nest-redis-lock/testing';

class Shop {
  constructor(private readonly locks: LockService) {}

  pay(order: string): Promise<string> {
    return this.locks.withLock(`order:${order}`, () => `paid ${order}`);
  }
}

it('pays under the lock of the order', async () => {
  const locks = new FakeLocks();
  await locks.wire(new Shop(locks)).pay('42'); // `wire` is needed for methods with @Locked
  expect(locks.acquired).toEqual([{ name: 'order:42', kind: 'reentrant' }]);
});
