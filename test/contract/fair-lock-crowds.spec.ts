import { onEveryBackend } from '../kit/every-backend.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';

const LIMIT_MS = 60_000;

/** Rows FL of the behaviour catalogue about many owners that want the same fair lock. */
onEveryBackend((world) => {
  describe('A fair lock with many waiters', () => {
    it('FL-03 serves 16 owners in the order of arrival', async () => {
      const { locks } = await world.open();
      const order: number[] = [];
      const works: Promise<void>[] = [];
      for (let arrival = 0; arrival < 16; arrival++) {
        const work = async (): Promise<void> => {
          order.push(arrival);
          await world.time.pause(30);
        };
        works.push(locks.getFairLock('n').withLock({ wait: Infinity }, work));
        await world.time.pass(10);
      }
      await world.time.finish(Promise.all(works), LIMIT_MS);
      expect(order).toEqual(Array.from({ length: 16 }, (_, arrival) => arrival));
    });

    it('FL-03 serves owners of four clients in the order of arrival', async () => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => world.open()));
      const hold = await clients[0]?.locks.getFairLock('n').acquire();
      const order: number[] = [];
      const works: Promise<void>[] = [];
      for (let round = 0; round < 5; round++) {
        for (const [index, { locks }] of clients.entries()) {
          const work = async (): Promise<void> => void order.push(4 * round + index);
          works.push(locks.getFairLock('n').withLock({ wait: Infinity }, work));
          const arrived = 4 * round + index + 1;
          await world.time.until(async () => (await world.probe.queue('n')).length === arrived, 2000);
        }
      }
      await hold?.release();
      await world.time.finish(Promise.all(works), LIMIT_MS);
      expect(order).toEqual(Array.from({ length: 20 }, (_, arrival) => arrival));
    });

    it(
      'FL-11 lets 100 owners of 20 clients in one at a time',
      async () => {
        const clients = await Promise.all(Array.from({ length: 20 }, () => world.open({ wait: Infinity })));
        const counter = new UnsafeCounter(world);
        const crowds = clients.map(({ locks }) =>
          crowd(5, 1, () => locks.getFairLock('n').withLock(() => counter.add(1))),
        );
        await world.time.finish(Promise.all(crowds), LIMIT_MS);
        expect(counter).toMatchObject({ count: 100, mostInside: 1 });
        await expect(world.probe.names()).resolves.toEqual([]);
      },
      LIMIT_MS,
    );
  });
});
