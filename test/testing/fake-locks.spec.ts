import { LockNameError, LockOptionsError, LockService } from 'nest-redis-lock';
import { FakeLocks } from 'nest-redis-lock/testing';
import { OrderService } from './orders.js';

describe('FakeLocks', () => {
  const locks = new FakeLocks();
  const orders = locks.wire(new OrderService(locks));

  afterEach(() => locks.clear());

  it('is a LockService', () => {
    expect(locks).toBeInstanceOf(LockService);
  });

  it('runs work at once and records its lock', async () => {
    expect(await orders.during('42', async () => [...locks.held])).toEqual(['order:42']);
    expect(locks.acquired).toEqual([{ name: 'order:42', kind: 'reentrant' }]);
    expect(locks.held).toEqual([]);
  });

  it('takes notes, whether or not the application has records of holders', async () => {
    await locks.withLock('order:42', { note: 'Anna', holdAtLeast: '1s' }, () => {});
    expect(locks.acquired).toEqual([{ name: 'order:42', kind: 'reentrant' }]);
    expect(locks.held).toEqual([]);
    await expect(locks.acquire('order:42', { note: '' })).rejects.toThrow(LockOptionsError);
  });

  it('excludes no one', async () => {
    const holds = [await locks.acquire('order:42'), await locks.acquire('order:42', { fair: true })];
    expect(locks.acquired).toEqual([
      { name: 'order:42', kind: 'reentrant' },
      { name: 'order:42', kind: 'fair' },
    ]);
    expect(await Promise.all(holds.map((hold) => hold.release()))).toEqual(['released', 'released']);
  });

  it('limits no one, however many are inside', async () => {
    const nested = (left: number): Promise<number> =>
      locks.runInScope(() =>
        locks.withLock('tenant:7', { limit: 1, fair: left % 2 === 0 }, () =>
          left === 0 ? locks.held.length : nested(left - 1),
        ),
      );
    expect(await nested(3)).toBe(4);
    expect(locks.acquired).toEqual(Array(4).fill({ name: 'tenant:7', kind: 'limit' }));
    expect(locks.held).toEqual([]);
  });

  it('grants every kind', async () => {
    const { fence } = await locks.getFencedLock('fenced').acquire();
    expect(fence).toBe(1n);
    await locks.getReadWriteLock('map').readLock().acquire();
    await locks.getReadWriteLock('map').writeLock().acquire();
    await locks.getGroupLock('group', ['a', 'b']).acquire();
    await locks.getSemaphore('permits').acquire(3);
    const permit = await locks.getPermitExpirableSemaphore('printers').acquire();
    expect(await permit.release()).toBe('released');
    expect(locks.acquired.map(({ kind }) => kind)).toEqual([
      'fenced',
      'read',
      'write',
      'group',
      'semaphore',
      'permitExpirableSemaphore',
    ]);
  });

  it('records the decorated methods of an instance that it wires', async () => {
    expect(await orders.pay('42')).toBe('paid 42');
    expect(await orders.invoice('7')).toBe('invoiced 7');
    expect(locks.lockedCalls().map(({ method, names }) => [method, ...names])).toEqual([
      ['OrderService.pay', 'order:42'],
      ['OrderService.invoice', 'invoice:7'],
    ]);
  });

  it('stands for every connection', async () => {
    await locks.forConnection('billing').withLock('invoice:7', async () => {});
    expect(locks.acquired).toEqual([{ name: 'invoice:7', kind: 'reentrant' }]);
  });

  it('checks names and options', async () => {
    await expect(locks.acquire('')).rejects.toThrow(LockNameError);
    await expect(locks.acquire('a', { wait: 'soon' as never })).rejects.toThrow(LockOptionsError);
    expect(() => locks.wire('a' as never)).toThrow(/"a"/);
    expect(locks.acquired).toEqual([]);
  });
});
