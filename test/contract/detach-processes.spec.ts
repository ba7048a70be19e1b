import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './holder.worker.js';

const redis = new RedisWorld();

/** How long a token is good here, ms, and the watchdog time-out of the processes: no stall of them ends a hold. */
const LEASE = 2000;
const WATCHDOG = 2000;

inWorld(redis, ({ time }) => {
  const startHolder = async (): Promise<Worker<typeof api>> => {
    const file = new URL('./holder.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(WATCHDOG)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  describe('A hold that is detached in one process and attached in another', () => {
    it('is kept by the second, even if the first dies, and released by the second', async () => {
      const [request, job] = [await startHolder(), await startHolder()];
      const { locks } = await redis.open();
      await request.call('acquire', 'n');
      const token = await request.call('detach', 'n', LEASE);
      await expect(job.call('attach', token)).resolves.toBe('n');
      request.kill('SIGKILL');
      for (let renewals = 0; renewals < 2; renewals++) await redis.renewed('n');
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      await expect(job.call('release', 'n')).resolves.toBe('released');
      await expect(locks.tryAcquire('n')).resolves.not.toBeNull();
    });

    it('is free within the lease of the token if the first dies before the token is used', async () => {
      const request = await startHolder();
      const { locks } = await redis.open();
      await request.call('acquire', 'n');
      const token = await request.call('detach', 'n', LEASE);
      request.kill('SIGKILL');
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      const next = await time.finish(locks.acquire('n', { wait: '10s' }), LEASE + time.slack);
      await expect(locks.attach(token)).rejects.toMatchObject({ code: 'LOCK_LOST' });
      next.assertHeld();
    });

    it('is free within the watchdog time-out if the second dies', async () => {
      const [request, job] = [await startHolder(), await startHolder()];
      const { locks } = await redis.open();
      await request.call('acquire', 'n');
      await job.call('attach', await request.call('detach', 'n', LEASE));
      job.kill('SIGKILL');
      await time.finish(locks.acquire('n', { wait: '10s' }), WATCHDOG + time.slack);
      await expect(request.call('release', 'n')).resolves.toBe('still-held');
    });
  });
});
