import { getEventListeners } from 'node:events';
import { LockShutdownError, LockTimeoutError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';
import { semaphoreChannel } from '../../lib/keys/redisson-keys.js';

const LIMIT_MS = 30_000;

/** Rows SE of the behaviour catalogue with waiters, and the semaphore's part of AB-02. */
onEveryBackend((world) => {
  const open = async () => (await world.open({ wait: Infinity })).locks.getSemaphore('s');
  const listening = (clients: number) => async (): Promise<boolean> =>
    (await world.probe.subscribers(semaphoreChannel('s'))) === clients;
  const leavesNothingBut = (...names: string[]): Promise<number> =>
    world.time.until(async () => (await world.probe.names()).toSorted().join() === names.toSorted().join(), 1000);

  describe('Waiting for permits', () => {
    it('SE-07 ends when a permit is released', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(1);
      await semaphore.acquire();
      const waiting = semaphore.acquire();
      const progress = track(waiting);
      await world.time.until(listening(1), 1000);
      await world.time.pass(100);
      expect(progress.settled).toBe(false);
      await semaphore.release();
      await world.time.finish(waiting, 200 + world.time.slack);
      await expect(semaphore.tryAcquire()).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await world.time.until(listening(0), 1000);
    });

    it('SE-08 for several permits ends when there are enough', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(5);
      await semaphore.acquire(3);
      const waiting = semaphore.acquire(4);
      const progress = track(waiting);
      await world.time.until(listening(1), 1000);
      await semaphore.release();
      await world.time.pass(100);
      expect(progress.settled).toBe(false);
      await semaphore.release();
      await world.time.finish(waiting, 200 + world.time.slack);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('SE-09 ends with the limit, or with the permits if they come before', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(5);
      await semaphore.acquire(3);
      await expect(semaphore.tryAcquire(4)).resolves.toBe(false);
      const start = world.time.now();
      await expect(world.time.finish(semaphore.tryAcquire(4, { wait: 300 }), 2000)).resolves.toBe(false);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(298);
      expect(world.time.now() - start).toBeLessThan(300 + world.time.slack);
      await world.time.until(listening(0), 1000);
      const waiting = semaphore.tryAcquire(4, { wait: '5s' });
      await world.time.until(listening(1), 1000);
      await semaphore.release(2);
      await expect(world.time.finish(waiting, 200 + world.time.slack)).resolves.toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('SE-12 lets 15 callers in one at a time with one permit', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(1);
      const counter = new UnsafeCounter(world);
      const work = () => semaphore.withPermits(1, () => counter.add(1));
      await world.time.finish(crowd(15, 1, work), LIMIT_MS);
      expect(counter).toMatchObject({ count: 15, mostInside: 1 });
    });

    it(
      'SE-13 lets 16 clients in one at a time, 20 rounds each, and 30 clients once each',
      async () => {
        for (const [clients, rounds] of [
          [16, 20],
          [30, 1],
        ] as const) {
          const semaphores = await Promise.all(Array.from({ length: clients }, open));
          await semaphores[0]?.trySetPermits(1);
          const counter = new UnsafeCounter(world);
          const visits = semaphores.map((semaphore) =>
            crowd(1, rounds, () => semaphore.withPermits(1, () => counter.add(1))),
          );
          await world.time.finish(Promise.all(visits), LIMIT_MS);
          expect(counter).toMatchObject({ count: clients * rounds, mostInside: 1 });
        }
      },
      LIMIT_MS,
    );

    it('SE-16 serves a waiter with enough permits, in any order of arrival', async () => {
      const [one, other] = [await open(), await open()];
      await one.trySetPermits(2);
      const many = one.acquire(3);
      const progress = track(many);
      await world.time.until(listening(1), 1000);
      await other.acquire();
      // A second caller of the same process is served although another one waits at the head of the queue.
      await world.time.finish(one.acquire(), 200 + world.time.slack);
      expect(progress.settled).toBe(false);
      await other.release(3);
      await world.time.finish(many, 200 + world.time.slack);
      await expect(one.availablePermits()).resolves.toBe(0);
    });

    it('SE-17 lets in as many callers as there are permits, and no more', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(3);
      const [inside, seen] = [new Set<object>(), new Set<number>()];
      const visit = async (): Promise<void> => {
        const visitor = {};
        inside.add(visitor);
        seen.add(inside.size);
        await world.time.pause(2);
        inside.delete(visitor);
      };
      await world.time.finish(
        crowd(10, 10, () => semaphore.withPermits(1, visit)),
        LIMIT_MS,
      );
      expect(seen).toEqual(new Set([1, 2, 3]));
    });

    it('SE-18 lets 100 callers in ten at a time', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(10);
      let [inside, most] = [0, 0];
      const visit = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        await world.time.pause(30);
        inside -= 1;
      };
      await world.time.finish(
        crowd(100, 1, () => semaphore.withPermits(1, visit)),
        LIMIT_MS,
      );
      expect({ inside, most }).toEqual({ inside: 0, most: 10 });
      await expect(semaphore.availablePermits()).resolves.toBe(10);
      await leavesNothingBut('s');
    });

    it('gives all permits of one release to the waiters that can use them, with one attempt each', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(0);
      const granted: number[] = [];
      const waiters = [4, 2, 3, 1, 2].map(async (permits) => {
        await semaphore.acquire(permits);
        granted.push(permits);
      });
      await world.time.until(listening(1), 1000);
      await world.time.pass(20);
      const asked = await world.probe.commands();
      await semaphore.release(3);
      await world.time.until(() => granted.length === 2, 500);
      await world.time.pass(20);
      expect(granted).toEqual([2, 1]);
      // The release, the attempt for the first waiter, and one for each that succeeded. On Redis each success has
      // another request, which deletes its marker.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(4 + 3);
      await semaphore.release(9);
      await world.time.finish(Promise.all(waiters), 500);
      expect(granted).toEqual([2, 1, 4, 3, 2]);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('reports in its error how many permits there are, and whether they were set', async () => {
      const semaphore = await open();
      const waiting = semaphore.acquire(1, { wait: 100 });
      const error: unknown = await world.time.finish(waiting, 1000).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(error).toMatchObject({ lockName: 's', details: { available: 0, isSet: false } });
      expect(String(error)).toContain('Semaphore "s" is still without permits, because their number was never set');
    });

    it('ends when permits are set, and is not ended by a deletion', async () => {
      const semaphore = await open();
      const waiting = semaphore.acquire(2);
      const progress = track(waiting);
      await world.time.until(listening(1), 1000);
      await semaphore.trySetPermits(1);
      await semaphore.delete();
      await world.time.pass(50);
      expect(progress.settled).toBe(false);
      await semaphore.trySetPermits(2);
      await world.time.finish(waiting, 200 + world.time.slack);
    });

    it('AB-02 ends with the reason of its signal and leaves nothing behind', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(1);
      await semaphore.acquire();
      for (const permits of [1, 3]) {
        const [reason, controller] = [new Error('enough'), new AbortController()];
        const waiting = semaphore.acquire(permits, { signal: controller.signal });
        await world.time.until(listening(1), 1000);
        controller.abort(reason);
        await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
        await world.time.until(listening(0), 1000);
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      }
      await semaphore.release();
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      await leavesNothingBut('s');
    });

    it('AB-04 is refused when the signal was aborted before, also where there are permits', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(1);
      const signal = AbortSignal.abort(new Error('too late'));
      for (const permits of [0, 1]) {
        for (const wait of [0, Infinity]) {
          await expect(semaphore.acquire(permits, { wait, signal })).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
          await expect(semaphore.tryAcquire(permits, { wait, signal })).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
        }
      }
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it.each([0, Infinity])('releases permits granted after the signal has aborted, with a wait of %d', async (wait) => {
      const semaphore = await open();
      await semaphore.trySetPermits(3);
      const controller = new AbortController();
      const waiting = semaphore.acquire(2, { wait, signal: controller.signal });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await world.time.until(async () => (await semaphore.availablePermits()) === 3, 1000);
      await leavesNothingBut('s');
    });

    it('ends at shutdown', async () => {
      const client = await world.open();
      const semaphore = client.locks.getSemaphore('s');
      const waiting = semaphore.acquire(1, { wait: Infinity });
      const outcome = waiting.catch((error: unknown) => error);
      await world.time.until(listening(1), 1000);
      client.runtime.shutdownController.abort(new LockShutdownError('over'));
      expect(await outcome).toBeInstanceOf(LockShutdownError);
      await expect(semaphore.tryAcquire()).rejects.toThrow(LockShutdownError);
      await world.time.until(() => client.runtime.acquirer.contended === 0, 1000);
    });
  });
});
