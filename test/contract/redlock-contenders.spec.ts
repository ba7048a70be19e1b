import { LockTimeoutError, LockUnavailableError } from '../../lib/index.js';
import { Worker } from '../servers/worker.js';
import type { api } from './redlock.worker.js';
import { onMasters } from '../kit/redlock-world.js';

/** Rows RD of the behaviour catalogue about those who want the same lock on five masters. */
onMasters(5, (world) => {
  const { time } = world;

  describe('Contenders', () => {
    it('RD-19 who start together: one acquires, nobody splits the votes for ever', async () => {
      // All at once, so that a busy machine gets its time.
      const clients = await Promise.all(
        Array.from({ length: 10 }, () => world.open({ redlock: { nodeTimeout: '1s' } })),
      );
      const results = await Promise.allSettled(
        clients.map(({ locks }) => locks.getRedLock('n').acquire({ wait: 500, lease: '20s' })),
      );
      const granted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(granted).toHaveLength(1);
      const refused = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
      expect(refused.every((error) => error instanceof LockTimeoutError)).toBe(true);
      await granted[0]?.release();
      await world.free('n');
    });

    it('RD-19 each of whom is nearest to another master: all get through, one after the other', async () => {
      const clients = await Promise.all(
        world.masters.map((_, place) => world.openFar((master) => 2 * ((master - place + 5) % 5))),
      );
      let through = 0;
      const done = clients.map(({ locks }) =>
        locks.getRedLock('n').withLock({ wait: '10s' }, async () => {
          await time.pass(5);
          through += 1;
        }),
      );
      await time.finish(Promise.all(done), 10_000);
      expect(through).toBe(5);
    });

    it('RD-21 in three processes: one acquires, and the others in their turn', async () => {
      const file = new URL('./redlock.worker.ts', import.meta.url);
      const args = world.masters.map(({ server }) => server.url);
      const workers = await Promise.all([1, 2, 3].map(() => Worker.start<typeof api>(file, { args })));
      for (const worker of workers) world.onReset(() => worker.stop());
      const together = await Promise.all(workers.map((worker) => worker.call('tryAcquire', 'n', 500)));
      expect(together.filter((got) => got)).toHaveLength(1);
      const winner = workers[together.indexOf(true)];
      await expect(winner?.call('release')).resolves.toBe('released');
      for (const worker of workers) {
        await expect(worker.call('tryAcquire', 'n', 2000)).resolves.toBe(true);
        await expect(worker.call('release')).resolves.toBe('released');
      }
    });

    it('exclude each other while a minority of the masters restarts, one master after the other', async () => {
      const clients = await Promise.all(Array.from({ length: 10 }, () => world.open({ watchdogTimeout: 600 })));
      let inside = 0;
      let most = 0;
      let entered = 0;
      const end = time.now() + 2000;
      // And until there has been something to see, however busy the machine; without any progress the test has its end.
      const isOver = (): boolean => time.now() >= end && entered > 10;
      const contend = async ({ locks }: (typeof clients)[number]): Promise<void> => {
        while (!isOver()) {
          const hold = await locks.getRedLock('n').tryAcquire({ wait: 500 }).catch(toNull);
          if (!hold) continue;
          inside += 1;
          most = Math.max(most, inside);
          entered += 1;
          await time.pass(10);
          // Who has lost it knows before anybody else can have it.
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
          for (const { server } of world.at(place)) await server.restart();
          await time.pass(150);
        }
      })();
      await Promise.all([...clients.map(contend), restarting]);
      expect(most).toBe(1);
    }, 60_000);
  });
});
