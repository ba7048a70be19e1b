import type { Lock, LockService } from '../../lib/index.js';

/** Every kind of lock, with its name. */
export const LOCKS: readonly (readonly [kind: string, lockOf: (locks: LockService, name: string) => Lock])[] = [
  ['reentrant', (locks, name) => locks.getLock(name)],
  ['fair', (locks, name) => locks.getFairLock(name)],
  ['fenced', (locks, name) => locks.getFencedLock(name)],
  ['spin', (locks, name) => locks.getSpinLock(name)],
  ['non-reentrant', (locks, name) => locks.getNonReentrantLock(name)],
  ['read', (locks, name) => locks.getReadWriteLock(name).readLock()],
  ['write', (locks, name) => locks.getReadWriteLock(name).writeLock()],
  ['group', (locks, name) => locks.getGroupLock(name, ['a', 'b'])],
  ['multi', (locks, name) => locks.getMultiLock(name, `${name}:2`, `other ${name}`)],
];

/** Uses a semaphore, a latch and everything else that is not a lock, each under a name derived from this one. */
export const useSynchronizers = async (locks: LockService, name: string): Promise<void> => {
  const semaphore = locks.getSemaphore(`${name}:semaphore`);
  expect(await semaphore.trySetPermits(2)).toBe(true);
  await semaphore.acquire(2);
  expect(await semaphore.tryAcquire()).toBe(false);
  await semaphore.release(2);
  await semaphore.addPermits(1);
  expect(await semaphore.drainPermits()).toBe(3);
  expect(await semaphore.delete()).toBe(true);
  const permits = locks.getPermitExpirableSemaphore(`${name}:permits`);
  expect(await permits.trySetPermits(1)).toBe(true);
  const id = await permits.acquire({ lease: '10s' });
  expect(await permits.tryAcquire()).toBeNull();
  expect(await permits.updateLeaseTime(id, '20s')).toBe(true);
  await permits.release(id);
  await permits.addPermits(1);
  expect(await permits.availablePermits()).toBe(2);
  const latch = locks.getCountDownLatch(`${name}:latch`);
  expect(await latch.trySetCount(1)).toBe(true);
  await latch.countDown();
  expect(await latch.await({ wait: 0 })).toBe(true);
  expect(await locks.withLock(`${name}:limited`, { limit: 2 }, () => 'inside')).toBe('inside');
  const results = [1, 2].map((result) => () => locks.singleFlight(`${name}:made`, { ttl: '10s' }, () => result));
  for (const make of results) expect(await make()).toBe(1);
};
