import { LockOwnershipError } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

/** Rows RL of the behaviour catalogue about the end of a lease or of a wait. */
onEveryBackend((world) => {
  describe('Waiting for a reentrant lock', () => {
    it('RL-09 ends when the lease of the holder does, although nothing is announced', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getLock('n');
      const before = world.time.now();
      await a.run(() => lock.acquire({ lease: 500 }));
      const acquired = world.time.now();
      await world.time.finish(
        b.run(() => lock.acquire({ wait: Infinity })),
        2000,
      );
      // Redis keeps time in whole milliseconds.
      expect(world.time.now() - before).toBeGreaterThanOrEqual(499);
      expect(world.time.now() - acquired).toBeLessThan(520 + world.time.slack);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(b.run(() => lock.holdCount())).resolves.toBe(1);
    });

    it('RL-11 ends without the lock at its limit, also if the holder has died', async () => {
      const [gone, client] = [await world.open(), await world.open()];
      await gone.locks.acquire('n');
      await gone.close();
      const start = world.time.now();
      await expect(world.time.finish(client.locks.tryAcquire('n', { wait: 600 }), 3000)).resolves.toBeNull();
      expect(world.time.now() - start).toBeGreaterThanOrEqual(598);
      expect(world.time.now() - start).toBeLessThan(600 + 50 + world.time.slack);
    });

    it('RL-23 is independent for each name', async () => {
      const { locks } = await world.open();
      await Promise.all(['k1', 'k2'].map((name) => locks.acquire(name, { lease: 500 })));
      const acquired = world.time.now();
      const waiters = Promise.all(['k1', 'k2'].map((name) => locks.acquire(name, { wait: Infinity })));
      await world.time.finish(waiters, 2000);
      expect(world.time.now() - acquired).toBeGreaterThan(250);
      expect(world.time.now() - acquired).toBeLessThan(520 + world.time.slack);
    });
  });
});
