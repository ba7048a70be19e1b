import { onEveryBackend } from '../kit/every-backend.js';
import { UnsafeCounter } from '../kit/unsafe-counter.js';

const LIMIT_MS = 60_000;

/** Rows FL of the behaviour catalogue about hundreds of owners of one client that wait for a fair lock. */
onEveryBackend((world) => {
  describe('A long queue of a fair lock', () => {
    it(
      'FL-02 serves 500 concurrent owners of one client in order',
      async () => {
        const { locks, runtime } = await world.open();
        const [counter, order] = [new UnsafeCounter(world), [] as number[]];
        const works = Array.from({ length: 500 }, async (_, arrival) => {
          const hold = await locks.getFairLock('n').acquire({ wait: Infinity, lease: '5s' });
          order.push(arrival);
          await counter.add(1);
          await expect(hold.release()).resolves.toBe('released');
        });
        await world.time.finish(Promise.all(works), LIMIT_MS);
        expect(counter).toMatchObject({ count: 500, mostInside: 1 });
        expect(order).toEqual(Array.from({ length: 500 }, (_, arrival) => arrival));
        await expect(world.probe.names()).resolves.toEqual([]);
        await world.time.until(async () => (await world.probe.channels()).length === 0, 1000);
        expect(runtime.acquirer.contended).toBe(0);
      },
      LIMIT_MS,
    );

    it(
      'FL-22 keeps the places of 1,200 owners of one client, which are more than one request names',
      async () => {
        const slot = 1500;
        const { locks } = await world.open({ fairWaitTimeout: slot });
        const controller = new AbortController();
        await locks.getFairLock('n').acquire();
        const options = { wait: Infinity, signal: controller.signal };
        const works = Array.from({ length: 1200 }, () => locks.getFairLock('n').acquire(options));
        const ended = Promise.allSettled(works);
        const queued = (count: number): Promise<number> =>
          world.time.until(async () => (await world.probe.queueLength('n')) === count, 30_000);
        await queued(works.length);
        const before = await world.probe.queue('n');
        await world.time.pass(2 * slot);
        const after = await world.probe.queue('n');
        expect(after.map(({ owner }) => owner)).toEqual(before.map(({ owner }) => owner));
        expect(after.filter(({ keptFor = 0 }) => keptFor <= 0)).toEqual([]);
        controller.abort();
        await ended;
        await queued(0);
      },
      LIMIT_MS,
    );

    it('D24: is left by 350 owners with four requests, where one signal ends their waits', async () => {
      const { locks } = await world.open();
      const controller = new AbortController();
      const hold = await locks.getFairLock('n').acquire();
      const options = { wait: Infinity, signal: controller.signal };
      const works = Array.from({ length: 350 }, () => locks.getFairLock('n').acquire(options));
      const ended = Promise.allSettled(works);
      const queued = (count: number): Promise<number> =>
        world.time.until(async () => (await world.probe.queueLength('n')) === count, 30_000);
      await queued(works.length);
      const last = locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(works.length + 1);
      await world.time.pass(20);
      const asked = await world.probe.commands();
      controller.abort();
      await ended;
      await queued(1);
      // The second number is for the requests of the remaining waiter, which is the first now.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(4 + 4);
      await hold.release();
      await world.time.finish(last, 1000);
    });
  });
});
