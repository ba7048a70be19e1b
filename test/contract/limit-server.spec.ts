import { LockKeyTypeError } from '../../lib/standalone.js';
import { limitPermits } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { A1, B7 } from './vectors/vector.js';

const redis = new RedisWorld();
const key = limitPermits('n');
const work = (): string => 'inside';

/** What only a limit on a server can show. */
inWorld(redis, ({ time }) => {
  describe('A limit on a server', () => {
    it('always has a time to live, that of its longest permit', async () => {
      const { locks } = await redis.open();
      await locks.withLock('n', { limit: 2, lease: '60s' }, async () => {
        await locks.withLock('other', { limit: 2, lease: '2s' }, async () => {});
        expect(await redis.admin.pttl(key)).toBeGreaterThan(20_000);
        await redis.open().then((other) => other.locks.withLock('n', { limit: 2, lease: '1s' }, work));
        expect(await redis.admin.pttl(key)).toBeGreaterThan(20_000);
        expect(await redis.admin.pttl(key)).toBeLessThanOrEqual(60_000);
      });
    });

    it('counts a repeated acquisition once, and does not bring back a permit that was lost', async () => {
      const { limit } = (await redis.open()).runtime.backend;
      const wanted = { name: 'n', owner: A1, lease: 30_000, limit: 1 };
      for (let round = 0; round < 2; round++) {
        await expect(limit.acquire(wanted)).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 1 } });
      }
      await expect(limit.acquire({ ...wanted, owner: B7 })).resolves.toMatchObject({ outcome: 'busy', holder: A1 });
      for (const outcome of ['released', 'not-held']) {
        await expect(limit.release(wanted)).resolves.toMatchObject({ outcome });
      }
      await expect(limit.hold({ ...wanted, count: 1 })).resolves.toEqual({ outcome: 'lost' });
      await expect(limit.renew([wanted])).resolves.toMatchObject({ held: [false] });
      await expect(redis.admin.exists(key)).resolves.toBe(0);
    });

    it('removes permits that have ended when the next owner is admitted', async () => {
      const { limit } = (await redis.open()).runtime.backend;
      await limit.acquire({ name: 'n', owner: A1, lease: 600, limit: 2 });
      await limit.acquire({ name: 'n', owner: B7, lease: 30_000, limit: 2 });
      await time.pass(650);
      const next = { name: 'n', owner: `${A1}1`, lease: 30_000, limit: 2 };
      await expect(limit.acquire(next)).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 2 } });
      await expect(redis.admin.zrange(key, '0', '-1')).resolves.toEqual(['limit', B7, next.owner]);
    });

    it('is renewed, re-entered and released where the server is out of memory', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const outcome = await locks.withLock('n', { limit: 1 }, async (hold) => {
        await redis.admin.config('SET', 'maxmemory', '1');
        redis.onReset(() => redis.admin.config('SET', 'maxmemory', '0'));
        await locks.withLock('n', { limit: 1 }, work);
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
      await expect(locks.withLock('n', { limit: 1 }, work)).rejects.toThrow(LockKeyTypeError);
      await expect(locks.withLock('n', { limit: 1 }, work)).rejects.toMatchObject({
        message: expect.stringContaining(type),
      });
      await expect(runtime.backend.limit.forceRelease({ name: 'n' })).rejects.toThrow(LockKeyTypeError);
      await expect(runtime.backend.limit.inspect('n', A1)).rejects.toThrow(LockKeyTypeError);
      await expect(runtime.backend.limit.release({ name: 'n', owner: A1, lease: 1 })).resolves.toMatchObject({
        outcome: 'not-held',
      });
      await expect(redis.admin.exists(key)).resolves.toBe(1);
    });
  });
});
