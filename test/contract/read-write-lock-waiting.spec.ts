import type { LockOptions } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { track } from '../kit/time.js';
import { readWriteLockChannel } from '../../lib/keys/redisson-keys.js';

const FOREVER: LockOptions = { wait: Infinity };

/** Rows RW of the behaviour catalogue with waiters or ending leases. Times are a tenth of the catalogue's. */
onEveryBackend((world) => {
  const { name: backend } = world;

  const open = async (renewedLease = 30_000) => {
    const { locks } = await world.open({ renewedLease });
    const lock = locks.getReadWriteLock('n');
    return { locks, read: lock.readLock(), write: lock.writeLock() };
  };

  /** Resolves when that many clients wait for the lock: they have made an attempt, and listen. */
  const waitingClients = async (count: number): Promise<void> => {
    const channel = readWriteLockChannel('n');
    await world.time.until(async () => (await world.probe.subscribers(channel)) === count, 2000);
  };

  describe('Waiting for a read-write lock', () => {
    it('RW-09 ends for all readers at once when the writer leaves', async () => {
      const { read, write } = await open();
      const writing = await write.acquire();
      const readers = Array.from({ length: 20 }, () => read.withLock(FOREVER, () => world.time.pause(150)));
      await waitingClients(1);
      const progress = readers.map(track);
      await world.time.pass(50);
      expect(progress.some(({ settled }) => settled)).toBe(false);
      await writing.release();
      await expect(world.time.finish(Promise.all(readers), 150 + 100 + world.time.slack)).resolves.toHaveLength(20);
    });

    it('RW-09 ends for readers at once when the writer keeps reading', async () => {
      const { locks, read, write } = await open();
      const [a, b] = [new Owner(locks), await world.open()];
      await a.run(() => write.acquire());
      await a.run(() => read.acquire());
      const waiting = b.locks.getReadWriteLock('n').readLock().acquire(FOREVER);
      await waitingClients(1);
      await a.run(() => write.release());
      await expect(world.time.finish(waiting, 100 + world.time.slack)).resolves.toMatchObject({ name: 'n' });
    });

    it('RW-10 ends for two readers with the lease of a writer that never releases', async () => {
      const { read, write } = await open();
      await write.tryAcquire({ wait: 100, lease: 500 });
      const readers = Promise.all([read.acquire(FOREVER), read.acquire(FOREVER)]);
      const [one, two] = await world.time.finish(readers, 500 + world.time.slack);
      expect(one.owner).not.toBe(two.owner);
    });

    it('RW-11 ends for a writer when the last of the readers has left, whatever leases they had', async () => {
      const { read, write } = await open();
      const start = world.time.now();
      const first = read.withLock({ lease: 1000 }, () => world.time.pause(910));
      const second = world.time.pause(30).then(() => read.withLock({ lease: 600 }, () => world.time.pause(280)));
      const writing = world.time.pause(60).then(() => write.acquire(FOREVER));
      await world.time.finish(Promise.all([first, second, writing]), 2000);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(900);
      expect(world.time.now() - start).toBeLessThan(1000 + world.time.slack);
    });

    it('RW-13 is not needed by a reader beside a reader', async () => {
      const { locks, read } = await open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => read.acquire({ lease: 5000 }));
      await b.run(() => read.acquire({ wait: 0 }));
      await b.run(() => read.release());
      await expect(a.run(() => read.release())).resolves.toBeUndefined();
    });

    it('RW-16 is not needed by 50 readers that outlive the watchdog time-out many at a time', async () => {
      const { read } = await open(3000);
      const worker = async (): Promise<void> => {
        for (let round = 0; round < 2; round++) {
          const hold = await read.acquire();
          await world.time.outlast(hold);
          await expect(hold.release()).resolves.toBe('released');
        }
      };
      await world.time.finish(Promise.all(Array.from({ length: 25 }, worker)), 10_000);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('RW-19 ends for a writer with the last of two readers, and for no other while it writes', async () => {
      const { read, write } = await open();
      const readers = [await read.acquire(), await read.acquire()] as const;
      await expect(write.tryAcquire()).resolves.toBeNull();
      const waiting = write.acquire(FOREVER);
      const progress = track(waiting);
      await waitingClients(1);
      await readers[0].release();
      await world.time.pass(50);
      expect(progress.settled).toBe(false);
      await readers[1].release();
      const writing = await world.time.finish(waiting, 100 + world.time.slack);
      await expect(write.tryAcquire()).resolves.toBeNull();
      await writing.release();
      await expect(write.tryAcquire()).resolves.not.toBeNull();
    });

    it('RW-20 does not keep new readers out, as in Redisson', async () => {
      const { read, write } = await open();
      const reading = await read.acquire();
      const waiting = write.acquire(FOREVER);
      await waitingClients(1);
      const second = await read.tryAcquire();
      await reading.release();
      await expect(second?.release()).resolves.toBe('released');
      await world.time.finish(waiting, 100 + world.time.slack);
    });

    it('AB-08 leaves no trace when it is aborted: readers come in, and the next writer after them', async () => {
      const { read, write } = await open();
      const [reading, giveUp] = [await read.acquire(), new AbortController()];
      const names = await world.probe.names();
      const waiting = write.acquire({ ...FOREVER, signal: giveUp.signal });
      await waitingClients(1);
      giveUp.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await waitingClients(0);
      expect((await world.probe.names()).toSorted()).toEqual(names.toSorted());
      const second = await read.acquire({ wait: 0 });
      const next = write.acquire(FOREVER);
      await reading.release();
      await second.release();
      await world.time.finish(next, 100 + world.time.slack);
    });
  });

  describe('A watchdog', () => {
    it('keeps a hold of either half alive, until it is released', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const halves = [locks.getReadWriteLock('r').readLock(), locks.getReadWriteLock('w').writeLock()];
      const held = halves.map(async (lock) => {
        const hold = await lock.acquire();
        return { lock, hold, inner: await hold.run(() => lock.acquire()) };
      });
      const holds = await Promise.all(held);
      await world.renewed('r', 'w');
      for (const { hold, inner } of holds) {
        expect(hold.signal.aborted).toBe(false);
        await inner.release();
      }
      await world.renewed('r', 'w');
      for (const { hold } of holds) {
        await expect(hold.release()).resolves.toBe('released');
      }
      const asked = await world.probe.commands();
      // Longer than until the next renewal, if one were still to come.
      await world.time.pass(1100);
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('keeps both halves of one owner alive', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const lock = locks.getReadWriteLock('n');
      const writing = await lock.writeLock().acquire();
      const reading = await writing.run(() => lock.readLock().acquire());
      await world.time.renewed(async () => [writing.remaining, reading.remaining]);
      expect([writing.signal.aborted, reading.signal.aborted]).toEqual([false, false]);
      await expect(writing.release()).resolves.toBe('released');
      await world.renewed('n');
      expect(reading.signal.aborted).toBe(false);
      await expect(reading.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('reports the loss to one reader, and not to a later one', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const lock = locks.getReadWriteLock('n');
      const lost = await lock.readLock().acquire();
      await lock.readLock().forceRelease();
      const next = await lock.readLock().acquire();
      await world.time.until(() => lost.signal.aborted, 1000 + world.time.slack);
      await world.renewed('n');
      expect(next.signal.aborted).toBe(false);
      await expect(lost.release()).resolves.toBe('expired');
      await expect(next.release()).resolves.toBe('released');
    });
  });

  describe(`A crowd of readers and writers on ${backend}`, () => {
    it('RW-18, I16 overlaps readers with readers only, and lets every writer in', async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, () => world.open({ wait: Infinity })));
      const inside = { readers: 0, writers: 0 };
      const seen = { readers: 0, count: 0, overlaps: 0 };
      const visit = async (half: 'readers' | 'writers'): Promise<void> => {
        inside[half] += 1;
        seen.readers = Math.max(seen.readers, inside.readers);
        if (inside.writers > 1 || (inside.writers === 1 && inside.readers > 0)) seen.overlaps += 1;
        await world.time.pause(3);
        seen.count += 1;
        inside[half] -= 1;
      };
      const rounds = clients.flatMap(({ locks }, index) => {
        const lock = locks.getReadWriteLock('n');
        return Array.from({ length: 3 }, async (_, worker) => {
          for (let round = 0; round < 12; round++) {
            const reads = (index + worker + round) % 4 !== 0;
            await (reads
              ? lock.readLock().withLock(() => visit('readers'))
              : lock.writeLock().withLock(() => visit('writers')));
          }
        });
      });
      await world.time.finish(Promise.all(rounds), 30_000);
      expect(seen).toMatchObject({ count: 8 * 3 * 12, overlaps: 0 });
      expect(seen.readers).toBeGreaterThan(3);
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });
});
