import { LockTimeoutError } from '../../lib/standalone.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './redlock.worker.js';
import { onMasters } from '../kit/redlock-world.js';

/** Rows RD of the behaviour catalogue about contenders for one lock on five masters. */
onMasters(5, (world) => {
  const { time } = world;

  describe('Contenders', () => {
    it('RD-19 that start together do not split the votes forever: one acquires', async () => {
      // All clients start at once, so that a busy machine gets its time.
      const clients = await Promise.all(
        Array.from({ length: 10 }, () => world.open({ redLock: { nodeTimeout: '1s' } })),
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

    it('RD-19 that each are nearest to another master all acquire, one after the other', async () => {
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

    it('RD-21 in three processes acquire one after the other', async () => {
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
  });
});
