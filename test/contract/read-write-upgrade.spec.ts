import { currentHold, LockLostError, type Hold, type LockService } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { track } from '../kit/time.js';

/** A hold of one half of a read-write lock becomes a hold of the other half. */
onEveryBackend((world) => {
  const halves = (locks: LockService) => {
    const lock = locks.getReadWriteLock('n');
    return { locks, read: lock.readLock(), write: lock.writeLock() };
  };
  const open = async (options?: Parameters<typeof world.open>[0]) => halves((await world.open(options)).locks);
  const written = (hold: Hold | null): Hold => {
    if (!hold) throw new Error('Others read');
    return hold;
  };
  const nothingIsLeft = () => expect(world.probe.names()).resolves.toEqual([]);

  describe('The hold of the only reader', () => {
    it('becomes that of the writer: others neither read nor write, and the read has ended', async () => {
      const [here, there] = [await open(), await open()];
      const reading = await here.read.acquire();
      const writing = written(await reading.tryUpgrade());
      expect(writing).toMatchObject({ name: 'n', isHeld: true, waited: 0 });
      expect(writing.owner).not.toBe(reading.owner);
      expect([reading.isHeld, reading.isReleased, reading.remaining]).toEqual([false, true, 0]);
      expect(() => reading.assertHeld()).toThrow(LockLostError);
      await expect(reading.release()).resolves.toBe('still-held');
      for (const { read, write } of [here, there]) {
        await expect(read.tryAcquire()).resolves.toBeNull();
        await expect(write.tryAcquire()).resolves.toBeNull();
      }
      await expect(there.write.isLocked()).resolves.toBe(true);
      await expect(there.read.isLocked()).resolves.toBe(false);
      await expect(writing.release()).resolves.toBe('released');
      await nothingIsLeft();
    });

    it('becomes that of a reader again, and so on', async () => {
      const [here, there] = [await open(), await open()];
      let hold = await here.read.acquire();
      for (let round = 0; round < 3; round++) {
        hold = written(await hold.tryUpgrade());
        await expect(there.read.tryAcquire()).resolves.toBeNull();
        hold = await hold.downgrade();
        await expect(there.write.tryAcquire()).resolves.toBeNull();
        await (await there.read.acquire({ wait: 0 })).release();
      }
      await expect(hold.release()).resolves.toBe('released');
      await nothingIsLeft();
    });

    it('is upgraded when the others have left, or have died', async () => {
      const [here, there] = [await open(), await open()];
      const reading = await here.read.acquire({ lease: '20s' });
      const [other, dying] = [await there.read.acquire(), await there.read.acquire({ lease: 300 })];
      dying.abandon();
      await other.release();
      await expect(reading.tryUpgrade()).resolves.toBeNull();
      await world.time.pass(400);
      const writing = written(await reading.tryUpgrade());
      await expect(there.write.tryAcquire()).resolves.toBeNull();
      await expect(writing.release()).resolves.toBe('released');
      await nothingIsLeft();
    });

    it('goes before writers that wait, who get the lock after it', async () => {
      const [here, there] = [await open(), await open()];
      const reading = await here.locks.getReadWriteLock('n', { preference: 'writer' }).readLock().acquire();
      const preferred = there.locks.getReadWriteLock('n', { preference: 'writer' }).writeLock();
      const waiting = preferred.acquire({ wait: '20s' });
      const progress = track(waiting);
      await world.time.pass(50);
      const writing = written(await reading.tryUpgrade());
      await world.time.pass(50);
      expect(progress.settled).toBe(false);
      await writing.release();
      await (await world.time.finish(waiting, 1000)).release();
    });
  });

  describe('The hold of one of several readers', () => {
    it('is not upgraded, at once, and stays as it is', async () => {
      const [here, there] = [await open({ renewedLease: 3000 }), await open()];
      const reading = await here.read.acquire();
      const other = await there.read.acquire();
      await expect(reading.tryUpgrade()).resolves.toBeNull();
      expect([reading.isHeld, reading.isReleased]).toEqual([true, false]);
      await world.time.renewed(async () => [reading.remaining]);
      reading.assertHeld();
      await other.release();
      await expect(there.write.tryAcquire()).resolves.toBeNull();
      await expect(written(await reading.tryUpgrade()).release()).resolves.toBe('released');
    });
  });

  describe('The hold of a writer', () => {
    it('becomes that of a reader: waiting readers get in at once, and no writer in between', async () => {
      const [here, there] = [await open(), await open()];
      const writing = await here.write.acquire();
      const waiting = [here, there].map(({ read }) => read.acquire({ wait: '20s' }));
      const writers = [here, there].map(({ write }) => track(write.acquire({ wait: 500 })));
      await world.time.pass(50);
      const reading = await writing.downgrade();
      expect([writing.isReleased, reading.isHeld]).toEqual([true, true]);
      const others = await world.time.finish(Promise.all(waiting), 1000);
      await world.time.until(() => writers.every(({ settled }) => settled), 2000);
      expect(await here.write.tryAcquire()).toBeNull();
      for (const hold of others) await hold.release();
      await expect(there.write.tryAcquire()).resolves.toBeNull();
      await expect(reading.release()).resolves.toBe('released');
      await nothingIsLeft();
    });

    it('leaves the reads of the same owner as they are', async () => {
      const { read, write } = await open();
      const writing = await write.acquire();
      const inner = await writing.run(() => read.acquire());
      const reading = await writing.downgrade();
      await expect(inner.release()).resolves.toBe('released');
      reading.assertHeld();
      await expect(write.tryAcquire()).resolves.toBeNull();
      await expect(reading.release()).resolves.toBe('released');
      await nothingIsLeft();
    });
  });

  describe('A hold that has changed halves', () => {
    it('is renewed by the watchdog, in either half', async () => {
      const [here, there] = [await open({ renewedLease: 3000 }), await open()];
      const writing = written(await (await here.read.acquire()).tryUpgrade());
      await world.renewed('n');
      writing.assertHeld();
      await expect(there.read.tryAcquire()).resolves.toBeNull();
      const reading = await writing.downgrade();
      await world.renewed('n');
      reading.assertHeld();
      await expect(there.write.tryAcquire()).resolves.toBeNull();
      await reading.release();
    });

    it('has the rest of the lease, or a new one', async () => {
      const { read } = await open();
      const reading = await read.acquire({ lease: '20s' });
      // More than a second, as the server and the client count milliseconds of their own.
      await world.time.passForClients(1100);
      const writing = written(await reading.tryUpgrade());
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeGreaterThan(15_000);
      expect(ttl).toBeLessThanOrEqual(19_000);
      expect(writing.remaining).toBeLessThanOrEqual(19_000);
      const again = await writing.downgrade({ lease: '1m' });
      expect(again.remaining).toBeGreaterThan(50_000);
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(50_000);
      const short = written(await again.tryUpgrade({ lease: 500 }));
      expect((await world.probe.state('n')).ttl).toBeLessThanOrEqual(500);
      await world.time.until(() => short.signal.aborted, 1000);
      expect(short.signal.reason).toBeInstanceOf(LockLostError);
    });

    it('is not held longer than maxHold, counted from the first', async () => {
      const { read } = await open({ renewedLease: 1800, maxHold: 2400 });
      const reading = await read.acquire();
      // By the first renewal a third of the time-out has passed.
      await world.renewed('n');
      const writing = written(await reading.tryUpgrade());
      await world.time.until(() => writing.signal.aborted, 2400 - 600 + world.time.slack);
      // Code that was given the signal of the read has to stop as well.
      expect(reading.signal.aborted).toBe(true);
    });
  });

  describe('A callback', () => {
    it('goes on under the hold that its own has become, and releases that at its end', async () => {
      const { locks, read, write } = await open();
      await read.withLock(async (reading) => {
        const writing = written(await reading.tryUpgrade());
        expect([currentHold('n'), locks.currentHold('n')]).toEqual([writing, writing]);
        await write.withLock({ wait: 0 }, ({ owner }) => expect(owner).toBe(writing.owner));
        await read.withLock({ wait: 0 }, ({ owner }) => expect(owner).toBe(writing.owner));
        const again = await writing.downgrade();
        expect(currentHold('n')).toBe(again);
        await read.withLock({ wait: 0 }, ({ owner }) => expect(owner).toBe(again.owner));
        await expect(write.tryAcquire()).resolves.toBeNull();
        expect(again.isHeld).toBe(true);
      });
      await nothingIsLeft();
    });

    it('that ends before its hold has changed releases that', async () => {
      const { read } = await open();
      for (const turns of [0, 3, 6, 9]) {
        let upgrading: Promise<unknown> = Promise.resolve();
        await read.withLock(async (reading) => {
          upgrading = reading.tryUpgrade().catch((error: unknown) => error);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        });
        await upgrading;
        await expect(world.probe.names()).resolves.toEqual([]);
      }
    });

    it('in a scope joins the hold that a hold of the scope has become', async () => {
      const { locks, read, write } = await open();
      await locks.runInScope(async () => {
        const writing = written(await (await read.acquire()).tryUpgrade());
        const inner = await write.acquire({ wait: 0 });
        expect(inner.owner).toBe(writing.owner);
        const reader = await read.acquire({ wait: 0 });
        expect(reader.owner).toBe(writing.owner);
        await reader.release();
        await inner.release();
        const again = await writing.downgrade();
        const joined = await read.acquire({ wait: 0 });
        expect(joined.owner).toBe(again.owner);
        await joined.release();
        await read.release();
        expect(again.isReleased).toBe(true);
      });
      await nothingIsLeft();
    });
  });
});
