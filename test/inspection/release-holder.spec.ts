import { LockNameError, LockOptionsError, type Hold, type Lock, type LockService } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';

const KINDS: readonly (readonly [string, (locks: LockService) => Lock, string])[] = [
  ['plain', (locks) => locks.getLock('n'), 'n'],
  ['fair', (locks) => locks.getFairLock('n'), 'n'],
  ['fenced', (locks) => locks.getFencedLock('n'), 'n'],
  ['spin', (locks) => locks.getSpinLock('n'), 'n'],
  ['read', (locks) => locks.getReadWriteLock('n').readLock(), 'n'],
  ['write', (locks) => locks.getReadWriteLock('n').writeLock(), 'n'],
  ['group', (locks) => locks.getGroupLock('n', ['v1', 'v2']), 'n'],
];

onEveryBackend((world) => {
  describe('The release of one holder', () => {
    it.each(KINDS)('ends the hold of a %s lock, and its holder learns of that', async (_, lockOf, name) => {
      const [holder, operator] = [await world.open(), await world.open()];
      const hold: Hold = await lockOf(holder.locks).acquire();
      await expect(operator.locks.releaseHolder(name, hold.owner)).resolves.toBe(true);
      await expect(lockOf(operator.locks).isLocked()).resolves.toBe(false);
      await expect(operator.locks.releaseHolder(name, hold.owner)).resolves.toBe(false);
      await expect(hold.release()).resolves.toBe('expired');
      expect(hold.signal.aborted).toBe(true);
    });

    it('stops a holder of this process at once', async () => {
      const { locks } = await world.open();
      const told: unknown[] = [];
      locks.onEvent('force-released', (event) => told.push(event));
      const hold = await locks.getLock('n').acquire();
      await expect(locks.releaseHolder('n', hold.owner)).resolves.toBe(true);
      expect(hold.signal.aborted).toBe(true);
      await expect(locks.releaseHolder('n', hold.owner)).resolves.toBe(false);
      expect(told).toMatchObject([{ type: 'force-released', kind: 'reentrant', lockName: 'n', connection: 'default' }]);
    });

    it('leaves the lock to any other owner', async () => {
      const { locks } = await world.open();
      const [old, current] = [await locks.getLock('n').acquire(), locks.getLock('n')];
      await old.release();
      const hold = await current.acquire();
      await expect(locks.releaseHolder('n', old.owner)).resolves.toBe(false);
      await expect(locks.releaseHolder('n', `${hold.owner}0`)).resolves.toBe(false);
      await expect(locks.releaseHolder('other', hold.owner)).resolves.toBe(false);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('ends one of several readers, and leaves the others', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const [first, second] = [
        await one.locks.getReadWriteLock('n').readLock().acquire(),
        await two.locks.getReadWriteLock('n').readLock().acquire(),
      ];
      await expect(two.locks.releaseHolder('n', first.owner)).resolves.toBe(true);
      const { holders } = await two.locks.getReadWriteLock('n').readLock().inspect();
      expect(holders.map(({ owner }) => owner)).toEqual([second.owner]);
      await expect(second.release()).resolves.toBe('released');
    });

    it.each([false, true])('lets a waiter go on at once, in order of arrival: %p', async (fair) => {
      const [holder, waiter] = [await world.open(), await world.open({ safetyPoll: '1m' })];
      const hold = await holder.locks.acquire('n', { fair, lease: '10m' });
      let isIn = false;
      const work = waiter.locks.withLock('n', { fair, wait: '30s' }, () => void (isIn = true));
      const lock = waiter.locks.getLock('n');
      await world.time.until(async () => (await lock.inspect()).waiting.count > 0, 5000);
      await world.time.pass(50);
      expect(isIn).toBe(false);
      await expect(waiter.locks.releaseHolder('n', hold.owner)).resolves.toBe(true);
      await world.time.finish(work, 10_000);
      expect(isIn).toBe(true);
    });

    it('ends a permit of a limit, and one of a semaphore', async () => {
      const [{ locks }, other] = [await world.open(), await world.open()];
      const semaphore = locks.getPermitExpirableSemaphore('s');
      await semaphore.trySetPermits(1);
      const { id } = await semaphore.acquire({ lease: '10m' });
      await expect(locks.releaseHolder('s', id)).resolves.toBe(true);
      await expect(locks.releaseHolder('s', id)).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      await locks.withLock('l', { limit: 1 }, async ({ owner }) => {
        await expect(locks.releaseHolder('l', owner)).resolves.toBe(true);
        await expect(other.locks.withLock('l', { limit: 1, wait: 0 }, () => 'free')).resolves.toBe('free');
      });
    });

    it('takes names as getLock() does, and refuses others', async () => {
      const { locks } = await world.open({ keyPrefix: 'shop:' });
      const { owner } = await locks.getLock('n').acquire();
      await expect(locks.releaseHolder('n', '')).rejects.toThrow(LockOptionsError);
      await expect(locks.releaseHolder('n', 7 as never)).rejects.toThrow(LockOptionsError);
      await expect(locks.releaseHolder('', owner)).rejects.toThrow(LockNameError);
      await expect(locks.releaseHolder('n', owner)).resolves.toBe(true);
    });
  });
});
