import type { LockOptions } from '../../lib/index.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { inWorld } from '../kit/every-backend.js';
import type { RawPlace } from '../kit/world.js';
import { Recorder } from './recorder.js';
import { RedisWorld } from '../kit/redis-world.js';
import { A1, B7 } from './vectors/vector.js';
import { fairChannel, fairDeadlines, fairQueue } from '../../lib/keys/redisson-keys.js';
import { openClient } from '../kit/client.js';

const redis = new RedisWorld();

/** Section 16.8 of the wire format, and rows FL about another process, or about a peer with a clock of its own. */
inWorld(redis, ({ time }) => {
  const heldBy = async (owner: string, ttl: number): Promise<void> => {
    await redis.admin.hset('f', owner, '1');
    await redis.admin.pexpire('f', ttl);
  };

  const queued = (count: number, name = 'f'): Promise<number> =>
    time.until(async () => (await redis.probe.queue(name)).length === count, 3000);

  /** Starts a wait. Resolves when the waiter W has a place and listens. */
  const startWaiting = async (options: LockOptions) => {
    const { locks } = await redis.open();
    const waiting = locks.getFairLock('f').tryAcquire(options);
    await queued(1);
    const [owner = ''] = await redis.admin.lrange(fairQueue('f'), 0, -1);
    await time.until(async () => (await redis.probe.subscribers(fairChannel('f', owner))) === 1, 2000);
    return { waiting, owner };
  };

  describe('A waiter for a fair lock, beside peers', () => {
    it('X06 has a place while it waits, and leaves without an announcement', async () => {
      const recorder = await Recorder.listenTo(redis.server.url);
      redis.onReset(async () => recorder.close());
      await heldBy(A1, 20_000);
      const { waiting, owner } = await startWaiting({ wait: 500 });
      await expect(redis.admin.zrange(fairDeadlines('f'), '0', '-1')).resolves.toEqual([owner]);
      await expect(time.finish(waiting, 3000)).resolves.toBeNull();
      await time.until(async () => (await redis.admin.keys('*')).length === 1, 1000);
      await expect(redis.admin.hgetall('f')).resolves.toEqual({ [A1]: '1' });
      await expect(recorder.messages()).resolves.toEqual([]);
    });

    it('X07 is woken on its own channel when a peer releases', async () => {
      await heldBy(A1, 20_000);
      const { waiting, owner } = await startWaiting({ wait: Infinity });
      await redis.admin.multi().del('f').publish(fairChannel('f', owner), '0').exec();
      const hold = await time.finish(waiting, 200 + time.slack);
      expect(hold?.owner).toBe(owner);
      await expect(redis.admin.keys('*')).resolves.toEqual(['f']);
      await time.until(async () => (await redis.probe.channels()).length === 0, 1000);
    });

    it('X08 waits for the deadline of a dead head with a bounded number of commands', async () => {
      const { locks } = await redis.open();
      const start = time.now();
      await redis.probe.enqueue('f', { owner: B7, keptFor: 1000 });
      const asked = await redis.probe.commands();
      await time.finish(locks.getFairLock('f').acquire({ wait: Infinity }), 2000);
      expect(time.now() - start).toBeGreaterThanOrEqual(990);
      expect((await redis.probe.commands()) - asked).toBeLessThanOrEqual(6);
      await expect(redis.admin.keys('*')).resolves.toEqual(['f']);
    });

    it('gets its turn although the Java waiter before it subtracts 300 s from its deadline', async () => {
      const { locks, runtime } = await redis.open({ fairWaitTimeout: 600 });
      await heldBy(A1, 20_000);
      await redis.probe.enqueue('f', { owner: B7, keptFor: 320_000 });
      const waiting = locks.getFairLock('f').acquire({ wait: Infinity });
      await queued(2);
      // By then the place has been kept at least once.
      await time.pass(600);
      await redis.admin.del('f');
      // Acquires like Redisson, which subtracts its wait from the deadline of every waiter behind.
      const java = { name: 'f', owner: B7, lease: 20_000, slot: 300_000 };
      await expect(runtime.backend.fairLock.queue(java)).resolves.toMatchObject({ outcome: 'acquired' });
      const [place] = await redis.probe.queue('f');
      expect(place?.keptFor).toBeGreaterThan(0);
      await runtime.backend.fairLock.release(java);
      await time.finish(waiting, 300 + time.slack);
    });

    it('FL-20 is not removed by a peer whose clock is ten minutes ahead', async () => {
      const { locks } = await redis.open();
      const ahead = { ...systemScheduler, wallNow: () => Date.now() + 600_000 };
      const peer = openClient({ connection: redis.server.url }, { scheduler: ahead });
      redis.onReset(() => peer.close());
      const hold = await locks.getFairLock('f').acquire();
      const order: string[] = [];
      const works = [locks.getFairLock('f').withLock({ wait: Infinity }, async () => void order.push('b'))];
      await queued(1);
      works.push(peer.locks.getFairLock('f').withLock({ wait: Infinity }, async () => void order.push('c')));
      await queued(2);
      await hold.release();
      await time.finish(Promise.all(works), 1000);
      expect(order).toEqual(['b', 'c']);
    });
  });

  describe('The deadlines of a fair queue', () => {
    /** Runs jobs of three workers, then one job that is cut off in the queue, and then a forced release. */
    const drift = async (jobs: number, wait: number, hold: number): Promise<RawPlace[]> => {
      const { locks, runtime } = await redis.open({ fairWaitTimeout: '5s' });
      const lock = locks.getFairLock('f');
      const left = Array.from({ length: jobs }, (_, job) => job);
      const work = async (): Promise<void> => {
        while (left.pop() !== undefined) {
          const held = await lock.tryAcquire({ wait, lease: '30s' });
          if (!held) continue;
          await time.pause(hold);
          await held.release();
        }
      };
      await time.finish(Promise.all([work(), work(), work()]), 20_000);
      await lock.acquire({ lease: '30s' });
      await runtime.backend.fairLock.queue({ name: 'f', owner: B7, lease: 30_000, slot: 300_000 });
      await lock.forceRelease();
      await expect(lock.isLocked()).resolves.toBe(false);
      return [...(await redis.probe.queue('f'))];
    };

    it('FL-14 do not drift when many waits time out', async () => {
      const places = await drift(50, 20, 60);
      expect(places).toEqual([{ owner: B7, keptFor: expect.closeTo(330_000, -4) }]);
    });

    it('FL-15 do not drift when many waits end with the lock', async () => {
      const places = await drift(10, 3000, 20);
      expect(places).toEqual([{ owner: B7, keptFor: expect.closeTo(330_000, -4) }]);
    });
  });
});
