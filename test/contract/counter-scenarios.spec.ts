import { LockKeyTypeError } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { latchChannel, semaphoreChannel } from '../../lib/keys/redisson-keys.js';

const redis = new RedisWorld();

/**
 * Section 16.8 of the wire format, the scenarios of semaphores and latches: clients of this library wait, and the other
 * side sends the commands of a Java peer.
 */
inWorld(redis, ({ time }) => {
  const listening = (channel: string, clients: number): Promise<number> =>
    time.until(async () => (await redis.probe.subscribers(channel)) === clients, 2000);

  describe('Waiting for permits during messages of a peer', () => {
    it('X11 ends for exactly one of two when the peer releases one permit', async () => {
      await redis.admin.set('s', '0');
      const clients = [await redis.open(), await redis.open()];
      const giveUp = new AbortController();
      let granted = 0;
      const waits = clients.map(async ({ locks }) => {
        await locks.getSemaphore('s').acquire(1, { wait: Infinity, signal: giveUp.signal });
        granted += 1;
      });
      const outcomes = Promise.allSettled(waits);
      await listening(semaphoreChannel('s'), 2);
      await time.pass(50);
      await redis.admin.multi().incrby('s', 1).publish(semaphoreChannel('s'), '1').exec();
      await time.until(() => granted === 1, 200 + time.slack);
      await time.pass(100);
      expect(granted).toBe(1);
      await expect(redis.admin.get('s')).resolves.toBe('0');
      giveUp.abort();
      await outcomes;
      await expect(redis.admin.get('s')).resolves.toBe('0');
    });

    it('goes on after a message that only Redisson sends, of fewer than no permits', async () => {
      await redis.admin.set('s', '1');
      const waiting = (await redis.open()).locks.getSemaphore('s').acquire(2, { wait: Infinity });
      const progress = track(waiting);
      await listening(semaphoreChannel('s'), 1);
      await redis.admin.multi().set('s', '-2').publish(semaphoreChannel('s'), '-2').exec();
      await time.pass(100);
      expect(progress.settled).toBe(false);
      await redis.admin.multi().incrby('s', 4).publish(semaphoreChannel('s'), '2').exec();
      await time.finish(waiting, 200 + time.slack);
      await expect(redis.admin.get('s')).resolves.toBe('0');
    });

    it('ends with the safety poll when nothing is published', async () => {
      await redis.admin.set('s', '0');
      const waiting = (await redis.open({ safetyPoll: 300 })).locks.getSemaphore('s').acquire(1, { wait: Infinity });
      await listening(semaphoreChannel('s'), 1);
      await time.pass(50);
      await redis.admin.incrby('s', 1);
      await time.finish(waiting, 300 + time.slack);
      await expect(redis.admin.get('s')).resolves.toBe('0');
    });
  });

  describe('Waiting for a latch during messages of a peer', () => {
    it('X13 ends for two waiters when the peer counts down to 0', async () => {
      await redis.admin.set('c', '1');
      const clients = [await redis.open(), await redis.open()];
      const waits = clients.map(({ locks }) => locks.getCountDownLatch('c').await());
      await listening(latchChannel('c'), 2);
      await time.pass(50);
      await redis.admin.multi().del('c').publish(latchChannel('c'), '0').exec();
      await expect(time.finish(Promise.all(waits), 200 + time.slack)).resolves.toEqual([true, true]);
      await listening(latchChannel('c'), 0);
    });

    it('X14 ends when the peer deletes the latch, although Redisson would keep waiting', async () => {
      await redis.admin.set('c', '1');
      const waiting = (await redis.open()).locks.getCountDownLatch('c').await();
      await listening(latchChannel('c'), 1);
      await time.pass(50);
      await redis.admin.multi().del('c').publish(latchChannel('c'), '1').exec();
      await expect(time.finish(waiting, 200 + time.slack)).resolves.toBe(true);
    });

    it('goes on when the peer sets a new count', async () => {
      await redis.admin.set('c', '1');
      const waiting = (await redis.open()).locks.getCountDownLatch('c').await();
      const progress = track(waiting);
      await listening(latchChannel('c'), 1);
      await redis.admin.multi().set('c', '2').publish(latchChannel('c'), '1').exec();
      await time.pass(100);
      expect(progress.settled).toBe(false);
      await redis.admin.multi().del('c').publish(latchChannel('c'), '0').exec();
      await expect(time.finish(waiting, 200 + time.slack)).resolves.toBe(true);
    });

    it('uses the name unchanged, also with braces of its own', async () => {
      await redis.admin.set('x{c}', '1');
      const waiting = (await redis.open()).locks.getCountDownLatch('x{c}').await();
      await listening('redisson_countdownlatch__channel__{x{c}}', 1);
      await redis.admin.multi().del('x{c}').publish('redisson_countdownlatch__channel__{x{c}}', '0').exec();
      await expect(time.finish(waiting, 200 + time.slack)).resolves.toBe(true);
    });
  });

  describe('A text under the name', () => {
    it.each(['', 'abc', '1.5', '1.0', '007', '-0', '+1', ' 5', '5 ', '1e3', '0x10', 'nan', 'inf', '9007199254740993'])(
      'that is not a count is not touched: %j',
      async (text) => {
        await redis.admin.set('s', text);
        const { locks } = await redis.open();
        const [semaphore, latch] = [locks.getSemaphore('s'), locks.getCountDownLatch('s')];
        for (const call of [
          () => semaphore.trySetPermits(1),
          () => semaphore.tryAcquire(),
          () => semaphore.release(),
          () => semaphore.releaseIfExists(),
          () => semaphore.drainPermits(),
          () => semaphore.addPermits(1),
          () => semaphore.availablePermits(),
          () => semaphore.delete(),
          () => latch.trySetCount(1),
          () => latch.countDown(),
          () => latch.getCount(),
          () => latch.delete(),
          () => latch.await({ wait: 100 }),
        ]) {
          await expect(call()).rejects.toMatchObject({
            code: 'LOCK_KEY_TYPE',
            details: { found: 'string that is not a count' },
          });
        }
        await expect(semaphore.release()).rejects.toThrow(LockKeyTypeError);
        await expect(redis.admin.get('s')).resolves.toBe(text);
        await expect(redis.admin.keys('*')).resolves.toEqual(['s']);
      },
    );

    it.each(['0', '-3', '12', '-2147483647'])('that is a count is used: %s', async (text) => {
      await redis.admin.set('s', text);
      const { locks } = await redis.open();
      await expect(locks.getSemaphore('s').availablePermits()).resolves.toBe(Number(text));
      await locks.getSemaphore('s').release();
      await expect(redis.admin.get('s')).resolves.toBe(String(Number(text) + 1));
    });
  });
});
