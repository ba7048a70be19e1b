import { LockOptionsError, LockOwnershipError, LockKeyTypeError, type Lock } from '../../lib/standalone.js';
import type { ReadWriteLockOptions } from '../../lib/advanced.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

/** Rows RW of the behaviour catalogue without waiters: the owners that hold the lock together, and their identity. */
onEveryBackend((world) => {
  const open = async (options?: ReadWriteLockOptions) => {
    const { locks } = await world.open();
    return {
      locks,
      owners: [new Owner(locks), new Owner(locks), new Owner(locks)] as const,
      read: locks.getReadWriteLock('n', options).readLock(),
      write: locks.getReadWriteLock('n', options).writeLock(),
    };
  };

  describe('A read-write lock', () => {
    it('RW-03 is read twice by one owner, each read with a time-out of its own', async () => {
      const { locks, owners, read } = await open();
      const [a, b] = owners;
      const timeouts = async (): Promise<string[]> =>
        (await world.probe.names()).filter((name) => name.includes(':rwlock_timeout:')).toSorted();
      const hold = await a.run(() => read.tryAcquire());
      await expect(a.run(() => read.tryAcquire())).resolves.not.toBeNull();
      const stem = `{n}:${hold?.owner}:rwlock_timeout`;
      await expect(timeouts()).resolves.toEqual([`${stem}:1`, `${stem}:2`]);
      await a.run(() => read.release());
      await expect(timeouts()).resolves.toEqual([`${stem}:1`]);
      await expect(b.run(() => locks.getReadWriteLock('m').readLock().tryAcquire())).resolves.not.toBeNull();
      await expect(a.run(() => read.release())).resolves.toBeUndefined();
      await expect(read.isLocked()).resolves.toBe(false);
    });

    it('RW-05 is never written beside a reader, not even by that reader', async () => {
      const { owners, read, write } = await open();
      const [a, b] = owners;
      await expect(read.forceRelease()).resolves.toBe(false);
      await a.run(() => read.acquire());
      await expect(a.run(() => write.tryAcquire())).resolves.toBeNull();
      await b.run(() => read.acquire());
      await a.run(() => read.release());
      await expect(a.run(() => write.tryAcquire())).resolves.toBeNull();
      await expect(a.run(() => read.isHeldByCurrentScope())).resolves.toBe(false);
      await b.run(() => read.release());
      await expect(read.isLocked()).resolves.toBe(false);
      await expect(a.run(() => write.tryAcquire())).resolves.not.toBeNull();
      await expect(a.run(() => write.isHeldByCurrentScope())).resolves.toBe(true);
      await a.run(() => write.release());
      await expect(write.isLocked()).resolves.toBe(false);
    });

    it('RW-06 is taken by force from those of one half only', async () => {
      const { owners, read, write } = await open();
      const [a] = owners;
      for (const [held, other] of [
        [read, write],
        [write, read],
      ] as const) {
        await a.run(() => held.acquire());
        await expect(other.forceRelease()).resolves.toBe(false);
        await expect(held.isLocked()).resolves.toBe(true);
        await expect(held.forceRelease()).resolves.toBe(true);
        await expect(held.isLocked()).resolves.toBe(false);
        await expect(a.run(() => held.release())).rejects.toThrow(LockOwnershipError);
      }
    });

    it('RW-07 is read by its writer, which keeps writing afterwards', async () => {
      const { owners, read, write } = await open();
      const [a] = owners;
      const { owner } = await a.run(() => write.acquire());
      await expect(read.isLocked()).resolves.toBe(false);
      await expect(a.run(() => read.acquire())).resolves.toMatchObject({ owner });
      await expect(read.isLocked()).resolves.toBe(true);
      await a.run(() => read.release());
      await expect(write.isLocked()).resolves.toBe(true);
      await expect(read.isLocked()).resolves.toBe(false);
      await a.run(() => write.release());
      await expect(write.isLocked()).resolves.toBe(false);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('RW-08 is still read by its former writer, beside others, and written again only after that', async () => {
      const { owners, read, write } = await open();
      const [a, b] = owners;
      await a.run(() => write.acquire());
      await a.run(() => read.acquire());
      await expect(b.run(() => read.tryAcquire())).resolves.toBeNull();
      await a.run(() => write.release());
      await expect(a.run(() => write.tryAcquire())).resolves.toBeNull();
      await expect(b.run(() => read.tryAcquire())).resolves.not.toBeNull();
      await b.run(() => read.release());
      await a.run(() => read.release());
      await expect(a.run(() => write.tryAcquire())).resolves.not.toBeNull();
    });

    it('RW-17 may have braces and colons in its name', async () => {
      const { locks } = await open();
      const lock = locks.getReadWriteLock('{test}:abc:key');
      const rounds = Array.from({ length: 10 }, async () => {
        for (let round = 0; round < 10; round++) {
          const hold = await lock.readLock().acquire();
          await expect(hold.release()).resolves.toBe('released');
        }
      });
      await world.time.finish(Promise.all(rounds), 5000);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('RW-22 has its prefix once in every name, and its halves exclude each other as without it', async () => {
      const { locks } = await world.open({ keyPrefix: 'app:' });
      const lock = locks.getReadWriteLock('n');
      const { owner } = await lock.readLock().acquire();
      await expect(lock.writeLock().tryAcquire()).resolves.toBeNull();
      const names = await world.probe.names();
      expect(names.toSorted()).toEqual(['app:n', `{app:n}:${owner}:rwlock_timeout:1`].toSorted());
      const giveUp = new AbortController();
      const waiting = lock.writeLock().acquire({ signal: giveUp.signal });
      await world.time.until(async () => (await world.probe.channels()).length === 1, 1000);
      await expect(world.probe.channels()).resolves.toEqual(['redisson_rwlock:{app:n}']);
      giveUp.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    });

    it('is of another kind than a lock of the same name, for both', async () => {
      const { locks, read, write } = await open();
      const plain = locks.getLock('n');
      const callsOf = (lock: Lock): (() => Promise<unknown>)[] => [
        () => lock.acquire({ wait: 0 }),
        () => lock.tryAcquire(),
        () => lock.isLocked(),
        () => lock.forceRelease(),
      ];
      const exclusive = await plain.acquire();
      for (const call of [...callsOf(read), ...callsOf(write)]) await expect(call()).rejects.toThrow(LockKeyTypeError);
      await expect(exclusive.release()).resolves.toBe('released');
      for (const half of [read, write]) {
        const hold = await half.acquire();
        for (const call of callsOf(plain)) await expect(call()).rejects.toThrow(LockKeyTypeError);
        await expect(hold.release()).resolves.toBe('released');
      }
    });

    it('refuses invalid options before anything is sent', async () => {
      const { locks } = await open();
      const asked = await world.probe.commands();
      for (const options of [{ preference: 'reader' }, { preference: null }, { prefer: 'writer' }, 'writer']) {
        expect(() => locks.getReadWriteLock('n', options as ReadWriteLockOptions)).toThrow(LockOptionsError);
      }
      await expect(world.probe.commands()).resolves.toBe(asked);
    });
  });
});
