import { LockConflictError, LockNameError, LockOptionsError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';

/** Rows ML-10 to ML-16 of the behaviour catalogue for group locks, and a smaller ML-17. */
onEveryBackend((world) => {
  describe('A group lock', () => {
    it('ML-10 holds all its values, and leaves nothing of the group behind', async () => {
      const { locks } = await world.open();
      const lock = locks.getGroupLock('g', ['v1', 'v2']);
      const hold = await lock.acquire({ lease: '30s' });
      await expect(locks.getGroupLock('g', ['v1']).isLocked()).resolves.toBe(true);
      await expect(locks.getGroupLock('g', ['v2']).isLocked()).resolves.toBe(true);
      await expect(locks.getGroupLock('g', ['v3']).isLocked()).resolves.toBe(false);
      await expect(hold.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-10 takes all or nothing, and leaves other values of the group free', async () => {
      const { locks } = await world.open();
      const held = await locks.getGroupLock('g', ['v2']).acquire();
      await expect(locks.getGroupLock('g', ['v1', 'v2', 'v3']).acquire({ wait: 0 })).rejects.toThrow(LockConflictError);
      await expect(locks.getGroupLock('g', ['v1']).isLocked()).resolves.toBe(false);
      const other = await locks.getGroupLock('g', ['v1', 'v3']).tryAcquire();
      await held.release();
      await expect(locks.getGroupLock('g', ['v3']).isLocked()).resolves.toBe(true);
      await expect(other?.release()).resolves.toBe('released');
    });

    it('ML-11 counts what its owner holds through any handle of the same values', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const [one, two] = [locks.getGroupLock('g', ['v1', 'v2']), locks.getGroupLock('g', ['v2', 'v1', 'v2'])];
      await a.run(() => one.acquire({ lease: '30s' }));
      await a.run(() => two.acquire({ lease: '30s' }));
      await expect(a.run(() => one.holdCount())).resolves.toBe(2);
      await a.run(() => one.release());
      await expect(a.run(() => two.holdCount())).resolves.toBe(1);
      await expect(b.run(() => one.tryAcquire())).resolves.toBeNull();
      await a.run(() => two.release());
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-17 lets those that have a value in common in one at a time', async () => {
      const clients = await Promise.all(Array.from({ length: 5 }, () => world.open({ wait: Infinity })));
      const counter = new UnsafeCounter(world);
      const crowds = clients.map(({ locks }, index) =>
        crowd(2, 5, () => locks.getGroupLock('g', ['common', `own ${index}`]).withLock(() => counter.add(1))),
      );
      await world.time.finish(Promise.all(crowds), 30_000);
      expect(counter).toMatchObject({ count: 50, mostInside: 1 });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('is woken by the release of another set that has a value in common', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const hold = await one.locks.getGroupLock('g', ['v1', 'v2']).acquire({ lease: '1m' });
      const waiting = two.locks.getGroupLock('g', ['v2', 'v3']).acquire({ wait: Infinity });
      const progress = track(waiting);
      await world.time.pass(200);
      expect(progress.settled).toBe(false);
      await hold.release();
      await world.time.finish(waiting, 200 + world.time.slack);
    });

    it.each([[[]], [undefined], ['v1'], [{ 0: 'v1' }]])('refuses %p for values', async (values) => {
      const { locks } = await world.open();
      expect(() => locks.getGroupLock('g', values as never)).toThrow(LockOptionsError);
    });

    it.each([[['v1', 2]], [[null]], [['\ud800']]])('refuses the values %p', async (values) => {
      const { locks } = await world.open();
      expect(() => locks.getGroupLock('g', values as never)).toThrow(LockNameError);
    });
  });
});
