import type { Hold } from '../../lib/index.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** Applies `holdAtLeast` to the hold of a method. */
const keepAtLeast = (hold: Hold, ms: number): void => {
  if (!(hold instanceof GrantedHold)) throw new Error('Not a hold of one lock');
  hold.holdAtLeast(ms);
};

onEveryBackend((world) => {
  describe('A lock with a minimum hold', () => {
    it('HA-01 stays held after its release, and goes to others then', async () => {
      const { locks, events } = await world.open();
      const hold = await locks.acquire('n');
      const start = world.time.now();
      keepAtLeast(hold, 1500);
      await expect(hold.release()).resolves.toBe('still-held');
      const lock = locks.getLock('n');
      const left = await lock.remainingLease();
      // The server and this process each round to milliseconds.
      expect(left).toBeGreaterThanOrEqual(1500 - (world.time.now() - start) - 2);
      expect(left).toBeLessThanOrEqual(1500);
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      const next = await world.time.finish(locks.acquire('n', { wait: '5s' }), 2000);
      expect(next.owner).not.toBe(hold.owner);
      await expect(next.release()).resolves.toBe('released');
      expect(events.filter(({ type }) => type === 'lost')).toEqual([]);
    });

    it('HA-02 is released at once if that time is over', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      keepAtLeast(hold, 20);
      await world.time.passForClients(30);
      await expect(hold.release()).resolves.toBe('released');
      await expect(locks.getLock('n').isLocked()).resolves.toBe(false);
    });

    it('HA-03 is held for the longest minimum of its holds', async () => {
      const { locks } = await world.open();
      const outer = await locks.acquire('n');
      const inner = await outer.run(() => locks.acquire('n'));
      keepAtLeast(inner, 30_000);
      keepAtLeast(outer, 10);
      await expect(inner.release()).resolves.toBe('still-held');
      await expect(outer.release()).resolves.toBe('still-held');
      expect(await locks.getLock('n').remainingLease()).toBeGreaterThan(20_000);
      await locks.getLock('n').forceRelease();
    });

    it('HA-04 is kept by the server for that time although renewals grant less', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      let renewals = 0;
      locks.onEvent('all', ({ type }) => void (renewals += type === 'renewed' ? 1 : 0));
      const hold = await locks.acquire('n');
      keepAtLeast(hold, 30_000);
      // Only the first one lengthens the lease.
      await world.time.until(() => renewals === 2, 5000);
      expect(await locks.getLock('n').remainingLease()).toBeGreaterThan(25_000);
      hold.assertHeld();
      await hold.release();
      expect(await locks.getLock('n').remainingLease()).toBeGreaterThan(25_000);
      await locks.getLock('n').forceRelease();
    });

    it('HA-05 reports that it was lost meanwhile, and takes nothing back', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      keepAtLeast(hold, 5000);
      await world.probe.remove('n');
      await expect(hold.release()).resolves.toBe('expired');
      await expect(locks.getLock('n').isLocked()).resolves.toBe(false);
    });
  });
});
