import { Worker } from '../servers/worker/worker.js';
import { inWorld } from '../kit/every-backend.js';
import type { api } from './holder.worker.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';

const redis = new RedisWorld();

/** Rows of several groups about another process that holds a lock, dies, or ends. */
inWorld(redis, ({ time }) => {
  const startHolder = async (renewedLease = 30_000): Promise<Worker<typeof api>> => {
    const file = new URL('./holder.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(renewedLease)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  describe('Another process', () => {
    it('RL-22 keeps this one out until it releases', async () => {
      const [worker, { locks }] = [await startHolder(), await redis.open()];
      await worker.call('acquire', 'n');
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      const waiting = locks.tryAcquire('n', { wait: '10s' });
      await time.until(async () => (await redis.probe.channels()).length === 3, 2000);
      await expect(worker.call('release', 'n')).resolves.toBe('released');
      await expect(time.finish(waiting, 100 + time.slack)).resolves.not.toBeNull();
      await worker.call('close');
      await worker.call('letGo');
      await expect(worker.exited).resolves.toEqual({ code: 0, signal: null });
    });

    it('WD-13 that is killed leaves its locks to this one within its watchdog time-out', async () => {
      const [worker, { locks }] = [await startHolder(3000), await redis.open()];
      await worker.call('acquire', 'n');
      const waiting = locks.acquire('n', { wait: '20s' });
      const progress = track(waiting);
      // The living process keeps its lock.
      for (let renewals = 0; renewals < 2; renewals++) await redis.renewed('n');
      expect(progress.settled).toBe(false);
      worker.kill('SIGKILL');
      await time.finish(waiting, 3000 + time.slack);
    });
  });
});
