import { LockUnavailableError } from '../../lib/standalone.js';
import { onMasters } from '../kit/redlock-world.js';

onMasters(5, (world) => {
  const { time } = world;

  describe('Contenders for a lock on five masters', () => {
    it('exclude each other while a minority of the masters restarts, one master after the other', async () => {
      // So long that no stall of this process or of the masters ends a hold.
      const renewedLease = 3000;
      const clients = await Promise.all(Array.from({ length: 10 }, () => world.open({ renewedLease })));
      let inside = 0;
      let most = 0;
      let entered = 0;
      const end = time.now() + 2000;
      // The test goes on until the lock was acquired often enough, however busy the machine is. Without progress it
      // times out.
      const isOver = (): boolean => time.now() >= end && entered > 10;
      const contend = async ({ locks }: (typeof clients)[number]): Promise<void> => {
        while (!isOver()) {
          const hold = await locks.getRedLock('n').tryAcquire({ wait: 500 }).catch(toNull);
          if (!hold) continue;
          inside += 1;
          most = Math.max(most, inside);
          entered += 1;
          await time.pass(10);
          // A holder learns of the loss before another client can have the lock.
          if (hold.signal.aborted) most = Number.POSITIVE_INFINITY;
          inside -= 1;
          await hold.release().catch(toNull);
        }
      };
      const toNull = (error: unknown): null => {
        if (error instanceof LockUnavailableError) return null;
        throw error;
      };
      const restarting = (async () => {
        for (let place = 0; !isOver(); place = (place + 1) % 5) {
          const before = entered;
          for (const { server } of world.at(place)) await server.restart();
          // Clients that have lost their connections to a master may need longer than the time until the next restart.
          // Without progress in between, more than a minority would be away.
          await time.until(() => entered > before || isOver(), Number.POSITIVE_INFINITY);
        }
      })();
      await Promise.all([...clients.map(contend), restarting]);
      expect(most).toBe(1);
    });
  });
});
