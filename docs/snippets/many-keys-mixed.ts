import type { LockService } from 'nest-redis-lock';

export const recount = async (locks: LockService, shelves: readonly string[]): Promise<void> => {
  const catalogue = locks.getReadWriteLock('catalogue').readLock();
  const inventory = locks.getFairLock('inventory');
  await locks.getMultiLock(catalogue, inventory).withLock(async (hold) => {
    for (const { name, remaining } of hold.members) console.log(name, remaining);
  });

  await locks.getGroupLock('shelves', shelves).withLock({ wait: '3s' }, async (hold) => hold.assertHeld());
};
