import { LockKeyTypeError } from '../../lib/index.js';
import { limitPermits } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './limit.worker.js';
import { A1, B7 } from './vectors/vector.js';

const redis = new RedisWorld();
const key = limitPermits('n');
const work = (): string => 'inside';

/** What only a limit on a server can show. */
inWorld(redis, ({ time }) => {
  const startWorker = async (renewedLease: number): Promise<Worker<typeof api>> => {
    const file = new URL('./limit.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [redis.server.url, String(renewedLease)] });
    redis.onReset(() => worker.stop());
    return worker;
  };

  describe('A limit on a server', () => {
    it('gets back the permits of a process that was killed, within their lease', async () => {
      const worker = await startWorker(3000);
      const { locks } = await redis.open();
      const owners = [await worker.call('enter', 'n', 2), await worker.call('enter', 'n', 2)];
      expect(new Set(owners).size).toBe(2);
      await redis.renewed(key);
      await expect(locks.withLimit('n', 2, { wait: 0 }, work)).rejects.toMatchObject({ details: { inUse: 2 } });
      worker.kill('SIGKILL');
      const both = Promise.all([1, 2].map(() => locks.withLimit('n', 2, { wait: Infinity }, work)));
      await expect(time.finish(both, 3000 + time.slack)).resolves.toEqual(['inside', 'inside']);
      await expect(redis.admin.keys('*')).resolves.toEqual([]);
    });

    it('is never exceeded by four processes of which two are killed, and is fully used again within the lease', async () => {
      // The count of a killed process is removed within the lease, since the next caller is admitted after it.
      const lease = 3000;
      const workers = await Promise.all(Array.from({ length: 4 }, () => startWorker(lease)));
      await Promise.all(workers.map((worker) => worker.call('start', 4, 'n', 3, 'inside')));
      const inside = async (): Promise<number> =>
        (await redis.admin.hvals('inside')).reduce((sum, count) => sum + Number(count), 0);
      for (const worker of workers.splice(0, 2)) {
        await time.until(async () => (await redis.admin.hget('inside', String(worker.pid))) === '1', 5000);
        worker.kill('SIGKILL');
        await worker.exited;
        await redis.admin.hdel('inside', String(worker.pid));
        await time.until(async () => (await inside()) === 3, lease + time.slack);
      }
      for (const worker of workers) {
        await time.until(async () => {
          const { calls, mostInside } = await worker.call('seen');
          return calls > 20 && mostInside >= 3;
        }, 10_000);
        expect((await worker.call('seen')).mostInside).toBe(3);
      }
    });

    it('always has a time to live, that of its longest permit', async () => {
      const { locks } = await redis.open();
      await locks.withLimit('n', 2, { lease: '60s' }, async () => {
        await locks.withLimit('other', 2, { lease: '2s' }, async () => {});
        expect(await redis.admin.pttl(key)).toBeGreaterThan(20_000);
        await redis.open().then((other) => other.locks.withLimit('n', 2, { lease: '1s' }, work));
        expect(await redis.admin.pttl(key)).toBeGreaterThan(20_000);
        expect(await redis.admin.pttl(key)).toBeLessThanOrEqual(60_000);
      });
    });

    it('removes permits that have ended when the next owner is admitted', async () => {
      const { limit } = (await redis.open()).runtime.backend;
      await limit.acquire({ name: 'n', owner: A1, lease: 100, limit: 2 });
      await limit.acquire({ name: 'n', owner: B7, lease: 30_000, limit: 2 });
      await time.pass(150);
      const next = { name: 'n', owner: `${A1}1`, lease: 30_000, limit: 2 };
      await expect(limit.acquire(next)).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 2 } });
      await expect(redis.admin.zrange(key, '0', '-1')).resolves.toEqual(['limit', B7, next.owner]);
    });

    it('is renewed, re-entered and released where the server is out of memory', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const outcome = await locks.withLimit('n', 1, async (hold) => {
        await redis.admin.config('SET', 'maxmemory', '1');
        redis.onReset(() => redis.admin.config('SET', 'maxmemory', '0'));
        await locks.withLimit('n', 1, work);
        await redis.renewed(key);
        hold.assertHeld();
        return 'held';
      });
      expect(outcome).toBe('held');
      await expect(redis.admin.keys('*')).resolves.toEqual([]);
    });

    it.each([
      ['a string', 'string', () => redis.admin.set(key, 'theirs')],
      ['a sorted set of an application', 'zset that is no limit', () => redis.admin.zadd(key, 1, 'theirs')],
    ])('leaves %s alone', async (_, type, put) => {
      const { locks, runtime } = await redis.open();
      await put();
      await expect(locks.withLimit('n', 1, work)).rejects.toThrow(LockKeyTypeError);
      await expect(locks.withLimit('n', 1, work)).rejects.toMatchObject({ message: expect.stringContaining(type) });
      await expect(runtime.backend.limit.forceRelease({ name: 'n' })).rejects.toThrow(LockKeyTypeError);
      await expect(runtime.backend.limit.inspect('n', A1)).rejects.toThrow(LockKeyTypeError);
      await expect(runtime.backend.limit.release({ name: 'n', owner: A1, lease: 1 })).resolves.toMatchObject({
        outcome: 'not-held',
      });
      await expect(redis.admin.exists(key)).resolves.toBe(1);
    });
  });
});
