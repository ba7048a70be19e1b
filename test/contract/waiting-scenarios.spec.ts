import type { LockOptions } from '../../lib/index.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { A1, B7 } from './vectors/vector.js';

const CHANNEL = 'redisson_lock__channel:{lk}';

const redis = new RedisWorld();

/**
 * Section 16.8 of the wire format, the scenarios of a plain lock: the client W of this library waits, and the other
 * side sends the commands of a Java peer.
 */
inWorld(redis, ({ time }) => {
  const heldBy = async (owner: string, ttl: number): Promise<void> => {
    await redis.admin.hset('lk', owner, '1');
    await redis.admin.pexpire('lk', ttl);
  };

  const subscribers = (): Promise<number> => redis.probe.subscribers(CHANNEL);
  const isOver = async (): Promise<boolean> => (await subscribers()) === 0;

  /** Starts a wait. Resolves when W sleeps: it listens, and makes no further attempt. */
  const startWaiting = async (options: LockOptions) => {
    const { locks } = await redis.open();
    const waiting = locks.acquire('lk', options);
    const progress = track(waiting);
    const asked = () => redis.probe.commands();
    await time.until(async () => (await subscribers()) === 1, 2000);
    await time.until(async () => {
      const before = await asked();
      await time.pass(100);
      return (await asked()) === before;
    }, 2000);
    return { waiting, progress, asked };
  };

  describe('Waiting during messages of a peer', () => {
    it('X01 ends at once when the peer releases, and the channel has no subscriber any more', async () => {
      await heldBy(A1, 20_000);
      const { waiting } = await startWaiting({ wait: Infinity });
      await redis.admin.multi().del('lk').publish(CHANNEL, '0').exec();
      const { owner } = await time.finish(waiting, 200 + time.slack);
      await expect(redis.admin.hgetall('lk')).resolves.toEqual({ [owner]: '1' });
      await time.until(isOver, 1000);
    });

    it('X02 ends with the TTL when nothing is published', async () => {
      const start = time.now();
      await heldBy(A1, 1500);
      const { waiting } = await startWaiting({ wait: Infinity });
      await time.finish(waiting, 3000);
      expect(time.now() - start).toBeGreaterThanOrEqual(1498);
      expect(time.now() - start).toBeLessThan(1500 + time.slack);
    });

    it('X03 ends without the lock at its limit, and leaves nothing behind', async () => {
      const { locks } = await redis.open();
      await heldBy(A1, 20_000);
      const start = time.now();
      await expect(time.finish(locks.tryAcquire('lk', { wait: 500 }), 3000)).resolves.toBeNull();
      expect(time.now() - start).toBeGreaterThanOrEqual(498);
      expect(time.now() - start).toBeLessThan(500 + time.slack);
      await time.until(isOver, 1000);
      await expect(redis.admin.hgetall('lk')).resolves.toEqual({ [A1]: '1' });
      expect(await redis.admin.pttl('lk')).toBeLessThan(20_000 - 490);
    });

    it('X04 continues after a meaningless message and another attempt', async () => {
      await heldBy(A1, 20_000);
      const { progress, asked } = await startWaiting({ wait: Infinity });
      const before = await asked();
      await redis.admin.publish(CHANNEL, '0');
      await time.until(async () => (await asked()) > before, 1000);
      await time.pass(100);
      expect((await asked()) - before).toBeLessThanOrEqual(2);
      expect(progress.settled).toBe(false);
      expect(await redis.admin.hgetall('lk')).toEqual({ [A1]: '1' });
    });

    it('X05 continues after a message that no peer sends', async () => {
      await heldBy(A1, 20_000);
      const { waiting, progress, asked } = await startWaiting({ wait: Infinity });
      const before = await asked();
      await redis.admin.publish(CHANNEL, '5');
      await time.pass(100);
      expect((await asked()) - before).toBeLessThanOrEqual(2);
      expect(progress.settled).toBe(false);
      await redis.admin.multi().del('lk').publish(CHANNEL, '0').exec();
      await time.finish(waiting, 200 + time.slack);
    });

    it('X17 ends when the TTL of a crashed owner does, not earlier, for one waiter after the other', async () => {
      const [one, two] = [await redis.open(), await redis.open()];
      const start = time.now();
      await heldBy(A1, 1200);
      const waits = [one, two].map(async ({ locks }) => {
        const hold = await locks.acquire('lk', { wait: Infinity });
        const waited = time.now() - start;
        await hold.release();
        return waited;
      });
      const waited = await time.finish(Promise.all(waits), 1200 + 2 * time.slack);
      expect(Math.min(...waited)).toBeGreaterThanOrEqual(1198);
    });
  });

  describe('Holding under inspection by a peer', () => {
    it('X09 keeps the TTL in the upper half of the time-out, and ends with the release', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const hold = await locks.acquire('lk');
      const end = time.now() + 4000;
      const ttls: number[] = [];
      let seen = time.now();
      let stalls = 0;
      await time.until(async () => {
        ttls.push(await redis.admin.pttl('lk'));
        const now = time.now();
        stalls += Math.max(0, now - seen - 50);
        seen = now;
        return now > end;
      }, 6000);
      // A renewal is late by no more than what this process or the server stood still.
      expect(Math.min(...ttls)).toBeGreaterThanOrEqual(1500 - stalls);
      expect(Math.max(...ttls)).toBeLessThanOrEqual(3000);
      await hold.release();
      const asked = await redis.probe.commands();
      // Longer than until the next renewal, if one were still to come.
      await time.pass(1100);
      await expect(redis.admin.exists('lk')).resolves.toBe(0);
      await expect(redis.probe.commands()).resolves.toBe(asked);
    });

    it('X10 does not touch the lock of a peer that took it over, and reports that it is not the owner', async () => {
      const { locks } = await redis.open({ renewedLease: 1500 });
      const hold = await locks.acquire('lk');
      await redis.admin.del('lk');
      await heldBy(B7, 1250);
      await time.until(() => hold.signal.aborted, 500 + time.slack);
      await time.until(async () => (await redis.admin.exists('lk')) === 0, 1250 + time.slack);
      await expect(hold.release()).resolves.toBe('expired');
    });
  });
});
