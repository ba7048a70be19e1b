import { LockLostError, LockQueueFullError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

onEveryBackend((world) => {
  describe('maxQueue', () => {
    it.each([
      ['a lock', 'getLock'],
      ['a fair lock', 'getFairLock'],
      ['a fenced lock', 'getFencedLock'],
      ['a spin lock', 'getSpinLock'],
    ] as const)('refuses a caller if `maxQueue` already wait for %s, and only then', async (_, kind) => {
      const { locks } = await world.open({ maxQueue: 3 });
      const lock = locks[kind]('order:1');
      const hold = await lock.acquire();
      const waiting = [1, 2, 3].map(() => lock.acquire({ wait: '20s' }));
      const error = await lock.acquire({ wait: '20s' }).catch((refused: unknown) => refused);
      expect(error).toBeInstanceOf(LockQueueFullError);
      expect(error).toMatchObject({ code: 'LOCK_QUEUE_FULL', lockName: 'order:1', details: { waiters: 3 } });
      // A caller that does not wait is not refused, nor is a caller that wants another lock.
      expect(await lock.tryAcquire()).toBeNull();
      await locks[kind]('order:2').withLock({ wait: '1s' }, () => {});
      await hold.release();
      for (const next of waiting) await (await world.time.finish(next, 3000)).release();
      await lock.withLock({ wait: '1s' }, () => {});
    });

    it('counts waiters for permits and latches', async () => {
      const { locks } = await world.open({ maxQueue: 1 });
      const semaphore = locks.getSemaphore('desks');
      await semaphore.trySetPermits(0);
      const one = semaphore.acquire(1, { wait: '20s' });
      await expect(semaphore.acquire(1, { wait: '20s' })).rejects.toThrow(LockQueueFullError);
      const latch = locks.getCountDownLatch('doors');
      await latch.trySetCount(1);
      const other = latch.await({ wait: '20s' });
      await expect(latch.await({ wait: '20s' })).rejects.toThrow(LockQueueFullError);
      await semaphore.release();
      await latch.countDown();
      await world.time.finish(Promise.all([one, other]), 3000);
    });
  });

  describe('maxHold', () => {
    it('ends a hold of the watchdog, with an event before and at the end', async () => {
      // Long enough for a round of the watchdog between the last renewal and the end, on a busy machine too.
      const maxHold = 2400;
      const client = await world.open({ renewedLease: 1800, maxHold });
      const start = world.time.now();
      const hold = await client.locks.acquire('order:1');
      await world.time.until(() => hold.signal.aborted, maxHold + world.time.slack);
      expect(world.time.now() - start).toBeGreaterThan(maxHold - 200);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(String(hold.signal.reason)).toContain('longer than maxHold');
      expect(client.events.map(({ type }) => type)).toEqual(['max-hold-reached', 'lost']);
      // The hold ends no later than on the server.
      await world.time.until(async () => (await world.probe.state('order:1')).type === 'none', 500);
    });

    it('counts from the first hold, also after re-entries, and never limits a lease', async () => {
      const client = await world.open({ renewedLease: 300, maxHold: 600 });
      const { locks } = client;
      const leased = await locks.acquire('order:2', { lease: 20_000 });
      const hold = await locks.acquire('order:1');
      const work = hold.run(async () => {
        for (let round = 0; !hold.signal.aborted; round++) {
          if (round > 100) throw new Error('The hold does not end');
          await locks.withLock('order:1', () => world.time.pause(50)).catch(() => {});
        }
      });
      await world.time.finish(work, 3000);
      expect(hold.signal.aborted).toBe(true);
      expect(leased.signal.aborted).toBe(false);
      await leased.release();
    });

    it('is off by default, and a hold of five minutes is reported once', async () => {
      // Minutes pass only on the manual clock.
      if (!(world instanceof MemoryWorld)) return;
      const client = await world.open();
      const hold = await client.locks.acquire('order:1');
      await world.clock.advance(12 * 60_000);
      expect(client.events).toEqual([expect.objectContaining({ type: 'long-hold', lockName: 'order:1' })]);
      expect(await hold.release()).toBe('released');
    });
  });
});
