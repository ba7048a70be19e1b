import { defaultMaxListeners, getEventListeners } from 'node:events';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/**
 * Rows AB of the behaviour catalogue: an AbortSignal ends a wait, with its reason as the cause, and has no other
 * effect.
 */
onEveryBackend((world) => {
  describe('A wait for a lock', () => {
    it('AB-01 ends only by acquiring without a signal', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n', { lease: '10m' });
      const waiting = locks.acquire('n', { wait: Infinity });
      const progress = track(waiting);
      await world.time.pass(500);
      expect(progress.settled).toBe(false);
      await hold.release();
      await world.time.finish(waiting, 1000);
    });

    it('AB-02 ends with the reason of its signal and leaves nothing behind', async () => {
      const { locks } = await world.open();
      const reason = new Error('enough');
      const [hold, controller] = [await locks.acquire('n'), new AbortController()];
      const waiting = locks.acquire('n', { wait: '5s', signal: controller.signal });
      const listening = async (): Promise<number> => world.probe.subscribers(lockChannel('n'));
      await world.time.until(async () => (await listening()) === 1, 1000);
      controller.abort(reason);
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await world.time.until(async () => (await listening()) === 0, 1000);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      await expect(hold.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('AB-02 ends with the reason of a signal that is on a timer', async () => {
      const { locks } = await world.open();
      await locks.acquire('n');
      const signal = AbortSignal.timeout(10);
      const waiting = locks.acquire('n', { wait: Infinity, signal });
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: { name: 'TimeoutError' } });
    });

    it('AB-03 is pending until the signal aborts, and ends promptly then', async () => {
      const { locks } = await world.open();
      const [reason, controller] = [new Error('enough'), new AbortController()];
      await locks.acquire('n');
      const waiting = locks.acquire('n', { wait: Infinity, signal: controller.signal });
      const progress = track(waiting);
      await world.time.pass(100);
      expect(progress.settled).toBe(false);
      controller.abort(reason);
      await expect(world.time.finish(waiting, world.time.slack)).rejects.toMatchObject({
        code: 'LOCK_ABORTED',
        cause: reason,
      });
    });

    it('AB-04 is refused by a rejection when the signal was aborted before, also for a free lock', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      const signal = AbortSignal.abort(new Error('too late'));
      const asked = await world.probe.commands();
      for (const wait of [0, 1000, Infinity]) {
        const attempts = [
          lock.acquire({ signal, wait }),
          lock.tryAcquire({ signal, wait }),
          lock.withLock({ signal, wait }, () => 'never'),
          locks.acquire('n', { signal, wait }),
        ];
        for (const attempt of attempts) {
          await expect(attempt).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: signal.reason });
        }
      }
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('AB-06 is over once the lock was acquired: a later abort changes nothing', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const controller = new AbortController();
      const hold = await locks.acquire('n', { signal: controller.signal });
      controller.abort();
      await world.renewed('n');
      expect(hold.signal.aborted).toBe(false);
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await expect(hold.release()).resolves.toBe('released');
    });

    it('AB-07 may share one signal with 10 000 others, without a warning and with no listener left on it', async () => {
      const { locks } = await world.open({ commandTimeout: '2s' });
      const { signal } = new AbortController();
      const counts = { obtained: 0, missed: 0 };
      let mostListeners = 0;
      // Four owners a name. The first gets the lock at once and the second after it, while the last two are too late.
      const visit = async (name: string, wait: number, keep: number): Promise<void> => {
        const hold = await locks.tryAcquire(name, { wait, signal });
        counts[hold ? 'obtained' : 'missed'] += 1;
        await world.time.pause(keep);
        await hold?.release();
      };
      for (let round = 0; round < 100; round++) {
        const names = Array.from({ length: 25 }, (_, index) => `n${index}`);
        const visits = names.flatMap((name) => [
          visit(name, 0, 1),
          visit(name, 5000, 10),
          visit(name, 2, 0),
          visit(name, 0, 0),
        ]);
        mostListeners = Math.max(mostListeners, getEventListeners(signal, 'abort').length);
        await world.time.finish(Promise.all(visits), 10_000);
      }
      // Node warns of a leak if there is one more.
      expect(mostListeners).toBeLessThanOrEqual(defaultMaxListeners);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(counts.obtained).toBeGreaterThanOrEqual(5000);
      expect(counts.missed).toBeGreaterThan(2500);
    });
  });
});

const memory = new MemoryWorld();

inWorld(memory, () => {
  describe('A failed wait for a lock', () => {
    it('AB-02 leaves no timer, no subscription and no waiter behind', async () => {
      const { locks, runtime } = await memory.open();
      await locks.acquire('n');
      const idle = memory.clock.pending;
      const controller = new AbortController();
      const waits = [
        locks.acquire('n', { wait: '5s', signal: controller.signal }),
        locks.acquire('n', { wait: Infinity, signal: controller.signal }),
        locks.acquire('n', { wait: 100 }),
      ];
      const outcomes = Promise.allSettled(waits);
      await memory.time.pass(200);
      expect(memory.clock.pending).toBeGreaterThan(idle);
      controller.abort();
      await expect(outcomes).resolves.toMatchObject(Array(3).fill({ status: 'rejected' }));
      // A client listens on for a while, in case its next waiter comes soon.
      await memory.clock.advance(500);
      expect(memory.clock.pending).toBe(idle);
      expect(runtime.acquirer.contended).toBe(0);
      await expect(memory.probe.channels()).resolves.toEqual([]);
    });
  });
});
