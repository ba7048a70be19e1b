import { LockLostError, LockOptionsError, LockOwnershipError } from '../../lib/standalone.js';
import type { Hold, LockService } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** Holds that cannot change halves, and what happens to a hold that does so meanwhile. */
onEveryBackend((world) => {
  const open = async () => {
    const { locks } = await world.open();
    const lock = locks.getReadWriteLock('n');
    return { locks, read: lock.readLock(), write: lock.writeLock() };
  };
  const nothingIsLeft = () => expect(world.probe.names()).resolves.toEqual([]);

  describe('A hold that cannot be upgraded or downgraded', () => {
    it.each<[string, (locks: LockService) => Promise<Hold>]>([
      ['plain', (locks) => locks.acquire('m')],
      ['fair', (locks) => locks.getFairLock('m').acquire()],
      ['fenced', (locks) => locks.getFencedLock('m').acquire()],
      ['group', (locks) => locks.getGroupLock('m', ['a', 'b']).acquire()],
      ['multi', (locks) => locks.getMultiLock('m', 'k').acquire()],
      [
        'RedLock of read locks',
        (locks) =>
          locks.getMajorityLock(...['m', 'k', 'l'].map((name) => locks.getReadWriteLock(name).readLock())).acquire(),
      ],
    ])('is one of a lock of another kind: %s', async (_, acquire) => {
      const { locks } = await open();
      const hold = await acquire(locks);
      const refused = { code: 'LOCK_OPTIONS', lockName: hold.name };
      await expect(hold.tryUpgrade()).rejects.toMatchObject({ ...refused, details: { option: 'tryUpgrade' } });
      await expect(hold.downgrade()).rejects.toMatchObject({ ...refused, details: { option: 'downgrade' } });
      hold.assertHeld();
      await hold.release();
    });

    it('is one of the other half', async () => {
      const { read, write } = await open();
      const reading = await read.acquire();
      await expect(reading.downgrade()).rejects.toThrow(LockOptionsError);
      await expect(reading.release()).resolves.toBe('released');
      const writing = await write.acquire();
      await expect(writing.tryUpgrade()).rejects.toThrow(LockOptionsError);
      await expect(writing.release()).resolves.toBe('released');
    });

    it('is one of several of its owner: they stay, and the last can be', async () => {
      const { read, write } = await open();
      await read.withLock(async (outer) => {
        await read.withLock(async (inner) => {
          await expect(inner.tryUpgrade()).rejects.toMatchObject({
            code: 'LOCK_OWNERSHIP',
            lockName: 'n',
            message: expect.stringContaining('release those first') as string,
          });
          inner.assertHeld();
        });
        await expect(outer.tryUpgrade()).resolves.toMatchObject({ isHeld: true });
      });
      await write.withLock(async (outer) => {
        await write.withLock((inner) => expect(inner.downgrade()).rejects.toThrow(LockOwnershipError));
        await expect(outer.downgrade()).resolves.toMatchObject({ isHeld: true });
      });
      await nothingIsLeft();
    });

    it('is that of a reader who writes as well', async () => {
      const { read, write } = await open();
      await write.withLock(async (writing) => {
        const reading = await read.acquire();
        await expect(reading.tryUpgrade()).rejects.toThrow(/holds the write lock as well: use that hold/);
        reading.assertHeld();
        writing.assertHeld();
        await reading.release();
      });
      await nothingIsLeft();
    });

    it('was released, or lost', async () => {
      const { locks, read, write } = await open();
      const reading = await read.acquire();
      await reading.release();
      await expect(reading.tryUpgrade()).rejects.toThrow(LockLostError);
      const deleted = await read.acquire();
      await world.probe.remove('n');
      await expect(deleted.tryUpgrade()).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: 'n' });
      expect(deleted.signal.aborted).toBe(true);
      await expect(deleted.release()).resolves.toBe('expired');
      const writing = await write.acquire();
      await locks.getReadWriteLock('n').writeLock().forceRelease();
      await expect(writing.downgrade()).rejects.toThrow(LockLostError);
      await expect(write.isLocked()).resolves.toBe(false);
    });

    it.each([0, -1, Number.NaN, '5', null, {}])('is asked for a lease of %p: it stays', async (lease) => {
      const { read, write } = await open();
      const reading = await read.acquire();
      const asked = await world.probe.commands();
      // @ts-expect-error Only some of them have a wrong type.
      await expect(reading.tryUpgrade({ lease })).rejects.toThrow(LockOptionsError);
      await expect(world.probe.commands()).resolves.toBe(asked);
      await reading.release();
      const writing = await write.acquire();
      // @ts-expect-error Only some of them have a wrong type.
      await expect(writing.downgrade({ lease })).rejects.toThrow(LockOptionsError);
      writing.assertHeld();
      await writing.release();
    });

    it('is given an option that does not exist', async () => {
      const reading = await (await open()).read.acquire();
      // @ts-expect-error There is nothing to wait for.
      await expect(reading.tryUpgrade({ wait: 5 })).rejects.toThrow(LockOptionsError);
      await reading.release();
    });
  });

  describe('A hold that is being upgraded', () => {
    it.each(['release', 'abandon'] as const)('is not, after a %s that comes before the request', async (how) => {
      const { read } = await open();
      const reading = await read.acquire({ lease: 400 });
      const upgrading = reading.tryUpgrade();
      const ended = reading[how]();
      await expect(upgrading).rejects.toThrow(LockLostError);
      await ended;
      await world.time.until(async () => (await world.probe.names()).length === 0, 1000);
    });

    it('is upgraded once, however often that is asked for', async () => {
      const { read } = await open();
      const reading = await read.acquire();
      const [first, second] = await Promise.allSettled([reading.tryUpgrade(), reading.tryUpgrade()]);
      expect(first).toMatchObject({ status: 'fulfilled', value: { isHeld: true } });
      expect(second).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_LOST' } });
      if (first.status === 'fulfilled') await first.value?.release();
      await nothingIsLeft();
    });

    it('is joined by a read that begins meanwhile, as the writer', async () => {
      const { read } = await open();
      await read.withLock(async (reading) => {
        const upgrading = reading.tryUpgrade();
        const inner = await read.withLock({ wait: 0 }, ({ owner }) => owner);
        expect(inner).toBe((await upgrading)?.owner);
      });
      await nothingIsLeft();
    });
  });
});
