import { onEveryBackend } from '../kit/every-backend.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';

const LIMIT_MS = 60_000;

/** Rows RL of the behaviour catalogue about many owners that want the same lock. */
onEveryBackend((world) => {
  describe('A reentrant lock with many owners', () => {
    it('RL-14 lets 15 owners of one client in one at a time', async () => {
      const { locks } = await world.open();
      const counter = new UnsafeCounter(world);
      await world.time.finish(
        crowd(15, 1, () => locks.withLock('n', () => counter.add(1))),
        LIMIT_MS,
      );
      expect(counter).toMatchObject({ count: 15, mostInside: 1 });
    });

    it(
      'RL-15 lets 16 clients in one at a time, 100 rounds each',
      async () => {
        const clients = await Promise.all(Array.from({ length: 16 }, () => world.open({ wait: Infinity })));
        const counter = new UnsafeCounter(world);
        const rounds = clients.map(({ locks }) => crowd(1, 100, () => locks.withLock('n', () => counter.add(1))));
        await world.time.finish(Promise.all(rounds), LIMIT_MS);
        expect(counter).toMatchObject({ count: 1600, mostInside: 1 });
      },
      LIMIT_MS,
    );

    it(
      'RL-16 lets 100 owners of 20 clients in one at a time',
      async () => {
        const clients = await Promise.all(Array.from({ length: 20 }, () => world.open({ wait: Infinity })));
        const counter = new UnsafeCounter(world);
        const crowds = clients.map(({ locks }) => crowd(5, 1, () => locks.withLock('n', () => counter.add(5))));
        await world.time.finish(Promise.all(crowds), 30_000);
        expect(counter).toMatchObject({ count: 100, mostInside: 1 });
      },
      LIMIT_MS,
    );
  });
});
