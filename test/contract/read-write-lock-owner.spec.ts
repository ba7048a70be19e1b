import { LockConflictError, type Lock } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

/** The holds of one owner of a read-write lock, acquired inside each other, and what stays when one of them ends. */
onEveryBackend((world) => {
  const open = async () => {
    const { locks } = await world.open();
    const lock = locks.getReadWriteLock('n');
    return { locks, owners: [new Owner(locks)] as const, read: lock.readLock(), write: lock.writeLock() };
  };

  describe('The owner of a read-write lock', () => {
    it('reads inside writing, and writes inside that', async () => {
      const { read, write } = await open();
      await write.withLock(async ({ owner }) => {
        await read.withLock(async (reading) => {
          expect(reading.owner).toBe(owner);
          await write.withLock({ wait: 0 }, async (writing) => {
            expect(writing.owner).toBe(owner);
            await read.withLock({ wait: 0 }, async () => {
              await expect(read.holdCount()).resolves.toBe(2);
              await expect(write.holdCount()).resolves.toBe(2);
            });
          });
          await expect(write.holdCount()).resolves.toBe(1);
        });
        await expect(read.isLocked()).resolves.toBe(false);
        await expect(write.isLocked()).resolves.toBe(true);
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('keeps reading when it stops writing: a hold acquired inside outlives its callback', async () => {
      const { read, write } = await open();
      const reading = await write.withLock(async () => read.acquire());
      await expect(write.isLocked()).resolves.toBe(false);
      reading.assertHeld();
      const other = await read.tryAcquire();
      expect(other?.owner).not.toBe(reading.owner);
      await expect(write.tryAcquire()).resolves.toBeNull();
      await expect(reading.release()).resolves.toBe('released');
      await expect(write.tryAcquire()).resolves.toBeNull();
      await expect(other?.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it.each([0, Infinity])('never waits for itself to write inside reading (wait %p)', async (wait) => {
      const { owners, read, write } = await open();
      await read.withLock(async ({ owner }) => {
        const asked = await world.probe.commands();
        const refused = { code: 'LOCK_CONFLICT', lockName: 'n', details: { holder: owner } };
        await expect(write.acquire({ wait })).rejects.toMatchObject(refused);
        await expect(write.withLock({ wait }, () => 'never')).rejects.toThrow(/release the read lock first/);
        await expect(write.tryAcquire({ wait })).resolves.toBeNull();
        await expect(world.probe.commands()).resolves.toBe(asked);
      });
      await owners[0].run(async () => {
        await read.acquire();
        await expect(write.acquire({ wait })).rejects.toThrow(LockConflictError);
        await expect(write.withLock({ wait }, () => 'never')).rejects.toThrow(LockConflictError);
        await read.release();
        await expect(write.tryAcquire({ wait })).resolves.not.toBeNull();
      });
    });

    it('reads concurrently inside reading, and one after the other inside writing', async () => {
      const { read, write } = await open();
      let inside = 0;
      let most = 0;
      const visit = async (): Promise<void> => {
        most = Math.max(most, ++inside);
        // Longer than another visitor needs to come in on a busy machine.
        await world.time.pause(100);
        inside -= 1;
      };
      const visits = (half: Lock): Promise<unknown> => Promise.all([half.withLock(visit), read.withLock(visit)]);
      await world.time.finish(
        read.withLock(() => visits(read)),
        2000,
      );
      expect(most).toBe(2);
      most = 0;
      await world.time.finish(
        write.withLock(() => visits(write)),
        2000,
      );
      await world.time.finish(
        write.withLock(() => visits(read)),
        2000,
      );
      expect(most).toBe(1);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('in a scope, takes both halves as one, however they are nested', async () => {
      const { locks, read, write } = await open();
      await locks.runInScope(async () => {
        const [writing, reading] = await Promise.all([write.acquire(), read.acquire()]);
        expect(reading.owner).toBe(writing.owner);
        await read.withLock({ wait: 0 }, () => write.withLock({ wait: 0 }, () => read.withLock({ wait: 0 }, () => {})));
        await write.withLock({ wait: 0 }, () =>
          read.withLock({ wait: 0 }, () => write.withLock({ wait: 0 }, () => {})),
        );
        await expect(read.holdCount()).resolves.toBe(1);
        await expect(write.holdCount()).resolves.toBe(1);
        await write.release();
        await expect(read.isHeldByCurrentScope()).resolves.toBe(true);
        await read.release();
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('in a scope, may release what it read inside a callback that wrote', async () => {
      const { locks, read, write } = await open();
      await locks.runInScope(async () => {
        await write.withLock(async () => {
          await read.withLock({ wait: 0 }, async () => {
            await read.acquire({ wait: 0 });
          });
        });
        await expect(read.holdCount()).resolves.toBe(1);
        await read.release();
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('in a scope, has a new read while its last hold is being released', async () => {
      const { locks, read } = await open();
      await locks.runInScope(async () => {
        const first = await read.acquire({ lease: '10s' });
        const extended = first.extend('20s').catch(() => {});
        const released = first.release();
        const second = await read.acquire();
        await Promise.all([extended, released]);
        await expect(read.isHeldByCurrentScope()).resolves.toBe(true);
        await read.release();
        expect(second.isHeld).toBe(false);
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('loses what it reads when its writing is taken by force', async () => {
      const { locks } = await world.open({ renewedLease: 600 });
      const lock = locks.getReadWriteLock('n');
      const [write, read] = [lock.writeLock(), lock.readLock()];
      await write.withLock(async (writing) => {
        const reading = await read.acquire();
        await write.forceRelease();
        await world.time.until(() => writing.signal.aborted && reading.signal.aborted, 600 + world.time.slack);
        await expect(read.acquire({ wait: 0 })).rejects.toMatchObject({ code: 'LOCK_LOST' });
        await expect(reading.release()).resolves.toBe('expired');
      });
    });

    it('keeps a read with a longer lease than its writing', async () => {
      const { locks, owners } = await open();
      const lock = locks.getReadWriteLock('n');
      await owners[0].run(async () => {
        const writing = await lock.writeLock().acquire({ lease: '10s' });
        const reading = await lock.readLock().acquire({ lease: '60s' });
        await writing.extend(600);
        await expect(lock.readLock().remainingLease()).resolves.toBeGreaterThan(10_000);
        await writing.release();
        await world.time.pass(700);
        reading.assertHeld();
        await expect(lock.writeLock().tryAcquire()).resolves.toBeNull();
        await expect(reading.release()).resolves.toBe('released');
      });
    });

    it('keeps a new read when an expired earlier one is released late', async () => {
      const { read, write } = await open();
      const writing = await write.acquire();
      const earlier = await writing.run(() => read.acquire({ lease: 600 }));
      await world.time.until(() => earlier.signal.aborted, 600 + world.time.slack);
      const reading = await writing.run(() => read.acquire());
      await expect(earlier.release()).resolves.toBe('expired');
      await expect(writing.release()).resolves.toBe('released');
      await expect(write.tryAcquire()).resolves.toBeNull();
      reading.assertHeld();
      await expect(reading.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('keeps a new read that was requested while earlier ones were being released', async () => {
      const { read, write } = await open();
      const writing = await write.acquire();
      const [outer, inner] = await writing.run(async () => [await read.acquire(), await read.acquire()] as const);
      const [, , reading] = await writing.run(() => Promise.all([inner.release(), outer.release(), read.acquire()]));
      await expect(writing.release()).resolves.toBe('released');
      await expect(write.tryAcquire()).resolves.toBeNull();
      await expect(reading.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('excludes no writer, once it has written, by an expired read', async () => {
      const { read, write } = await open();
      const writing = await write.acquire({ lease: '60s' });
      const reading = await writing.run(() => read.acquire({ lease: 600 }));
      await world.time.pass(610);
      await expect(writing.release()).resolves.toBe('released');
      await expect(write.tryAcquire()).resolves.not.toBeNull();
      await expect(reading.release()).resolves.toBe('expired');
    });

    it('excludes writers, once it has written, for as long as it reads and no longer', async () => {
      const { read, write } = await open();
      const writing = await write.acquire({ lease: '60s' });
      await writing.run(() => read.acquire({ lease: '10s' }));
      await writing.release();
      await expect(read.remainingLease()).resolves.toBeLessThanOrEqual(10_000);
      await expect(read.remainingLease()).resolves.toBeGreaterThan(9000);
    });
  });
});
