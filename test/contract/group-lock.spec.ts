import { LockConflictError, LockNameError, LockOptionsError, LockOwnershipError } from '../../lib/index.js';
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

    it('ML-12 is taken from any holder of its values by a forced release', async () => {
      const { locks } = await world.open();
      const lock = locks.getGroupLock('g', ['v1', 'v2']);
      await lock.acquire({ lease: '30s' });
      await expect(lock.forceRelease()).resolves.toBe(true);
      await expect(world.probe.names()).resolves.toEqual([]);
      await expect(lock.forceRelease()).resolves.toBe(false);
    });

    it('ML-13 is renewed as long as it has no lease', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const hold = await locks.getGroupLock('g', ['v1', 'v2']).acquire();
      const left = () => Promise.all(['v1', 'v2'].map((value) => locks.getGroupLock('g', [value]).remainingLease()));
      for (let renewals = 0; renewals < 2; renewals++) await world.time.renewed(left);
      expect(hold.signal.aborted).toBe(false);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('ML-14 goes to a waiter when the lease ends', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getGroupLock('g', ['v1', 'v2']);
      const start = world.time.now();
      await expect(a.run(() => lock.tryAcquire({ lease: 600 }))).resolves.not.toBeNull();
      await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
      const hold = await world.time.finish(
        b.run(() => lock.tryAcquire({ wait: '3s', lease: '5s' })),
        4000,
      );
      expect(world.time.now() - start).toBeGreaterThan(500);
      await expect(hold?.release()).resolves.toBe('released');
    });

    it('ML-15 reports its holder like a single lock', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getGroupLock('g', ['v1', 'v2']);
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(lock.remainingLease()).resolves.toBe(-2);
      await a.run(() => lock.acquire({ lease: '10s' }));
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(true);
      await expect(b.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await expect(b.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      expect(await lock.remainingLease()).toBeGreaterThan(10_000 - 1 - world.time.slack);
    });

    it('ML-16 ends with its lease, and the late release is refused', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.getGroupLock('g', ['v1', 'v2']).acquire({ lease: 500 }));
      const start = world.time.now();
      const waiting = b.run(() => locks.getGroupLock('g', ['v2', 'v3']).acquire({ wait: Infinity }));
      await world.time.finish(waiting, 2000);
      expect(world.time.now() - start).toBeLessThan(520 + world.time.slack);
      await expect(a.run(() => locks.getGroupLock('g', ['v1', 'v2']).release())).rejects.toThrow(LockOwnershipError);
      await expect(locks.getGroupLock('g', ['v2']).isLocked()).resolves.toBe(true);
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
