import { LockOwnershipError } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { A1 } from './vectors/vector.js';

const CHANNEL = 'redisson_rwlock:{rw}';
const TIMEOUT = `{rw}:${A1}:rwlock_timeout:1`;

const redis = new RedisWorld();

/** Section 16.8 of the wire format, the scenarios of a read-write lock, and rows about it that need a server. */
inWorld(redis, ({ time }) => {
  const subscribers = (count: number) =>
    time.until(async () => (await redis.probe.subscribers(CHANNEL)) === count, 2000);

  const written = async (ttl: number, ...more: readonly string[]): Promise<void> => {
    await redis.admin.hset('rw', 'mode', 'write', `${A1}:write`, '1', ...more);
    await redis.admin.pexpire('rw', ttl);
  };

  describe('Waiting for a read-write lock during messages of a peer', () => {
    it('X15 ends at once for two readers of one process when the writer releases', async () => {
      const read = (await redis.open()).locks.getReadWriteLock('rw').readLock();
      await written(20_000);
      const waiting = Promise.all([read.acquire({ wait: Infinity }), read.acquire({ wait: Infinity })]);
      const progress = track(waiting);
      await subscribers(1);
      await time.pass(50);
      expect(progress.settled).toBe(false);
      await redis.admin.multi().del('rw').publish(CHANNEL, '1').exec();
      const [one, two] = await time.finish(waiting, 200 + time.slack);
      await expect(redis.admin.hgetall('rw')).resolves.toEqual({ mode: 'read', [one.owner]: '1', [two.owner]: '1' });
      await subscribers(0);
    });

    it('X16 ends with the TTL when a writer keeps reading without an announcement', async () => {
      const read = (await redis.open()).locks.getReadWriteLock('rw').readLock();
      const start = time.now();
      await written(2500, A1, '1');
      await redis.admin.set(TIMEOUT, '1', 'PX', 20_000);
      const waiting = read.acquire({ wait: Infinity });
      const progress = track(waiting);
      await subscribers(1);
      await time.pass(50);
      await redis.admin.multi().hdel('rw', `${A1}:write`).hset('rw', 'mode', 'read').pexpire('rw', 20_000).exec();
      await time.pass(200);
      expect(progress.settled).toBe(false);
      const { owner } = await time.finish(waiting, 2500 + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(2450);
      await expect(redis.admin.hgetall('rw')).resolves.toEqual({ mode: 'read', [A1]: '1', [owner]: '1' });
    });

    it('ends for a writer when a peer that read is the last to leave', async () => {
      const write = (await redis.open()).locks.getReadWriteLock('rw').writeLock();
      await redis.admin.hset('rw', 'mode', 'read', A1, '1');
      await redis.admin.pexpire('rw', 20_000);
      await redis.admin.set(TIMEOUT, '1', 'PX', 20_000);
      const waiting = write.acquire({ wait: Infinity });
      await subscribers(1);
      await redis.admin.multi().del('rw', TIMEOUT).publish(CHANNEL, '0').exec();
      const { owner } = await time.finish(waiting, 200 + time.slack);
      await expect(redis.admin.hgetall('rw')).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1' });
    });
  });

  describe('A server that restarts empty', () => {
    it('WD-02, WD-03 ends the hold of either half; the next ones on the same name are renewed again', async () => {
      // So long that no stall of this process or of the server ends a hold.
      const renewedLease = 3000;
      const { locks } = await redis.open({ renewedLease });
      const halves = [locks.getReadWriteLock('w').writeLock(), locks.getReadWriteLock('r').readLock()];
      const owners = halves.map((lock) => ({ lock, owner: new Owner(locks) }));
      const acquire = () => Promise.all(owners.map(({ lock, owner }) => owner.run(() => lock.acquire())));
      const lost = await acquire();
      await redis.server.restart();
      await time.until(() => lost.every(({ signal }) => signal.aborted), renewedLease);
      for (const { lock, owner } of owners) {
        await expect(owner.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      }
      for (let cycle = 0; cycle < 2; cycle++) {
        const holds = await acquire();
        await redis.renewed('w', 'r');
        expect(holds.map(({ signal }) => signal.aborted)).toEqual([false, false]);
        for (const { lock, owner } of owners) {
          await expect(owner.run(() => lock.release())).resolves.toBeUndefined();
        }
        await expect(redis.probe.names()).resolves.toEqual([]);
      }
    });
  });

  describe('A reader whose time-out key ran out while the lock lived on', () => {
    it('is still counted when it renews, since no owner has written meanwhile', async () => {
      const { runtime } = await redis.open();
      const { readLock } = runtime.backend;
      await redis.admin.hset('rw', 'mode', 'read', A1, '2');
      await redis.admin.pexpire('rw', 60_000);
      const { held } = await readLock.renew([{ name: 'rw', owner: A1, lease: 20_000 }]);
      expect(held).toEqual([true]);
      for (const n of [1, 2]) expect(await redis.admin.pttl(`{rw}:${A1}:rwlock_timeout:${n}`)).toBeGreaterThan(0);
      expect(await redis.admin.pttl('rw')).toBeGreaterThan(20_000);
    });
  });

  describe('A reader with a lease beyond the watchdog time-out', () => {
    it('keeps its lease although a reading peer set a shorter one and died, and not for longer', async () => {
      const read = (await redis.open({ renewedLease: 1500 })).locks.getReadWriteLock('rw').readLock();
      const start = time.now();
      const hold = await read.acquire({ lease: 3500 });
      for (let renewals = 0; renewals < 2; renewals++) {
        // This is a renewal by Redisson, which knows of its own reader only.
        await redis.admin.pexpire('rw', 1500);
        await redis.renewed('rw');
      }
      await time.until(() => hold.signal.aborted, start + 3500 - time.now() + time.slack);
      expect(time.now() - start).toBeGreaterThan(3400);
      await time.until(async () => (await redis.probe.names()).length === 0, 100 + time.slack);
    });
  });

  describe('A server that is out of memory', () => {
    it('grants nothing new, and renews and releases existing holds', async () => {
      const { locks, runtime } = await redis.open();
      const lock = locks.getReadWriteLock('rw');
      const [reading, other] = [await lock.readLock().acquire(), locks.getReadWriteLock('rw2').writeLock()];
      const writing = await other.acquire();
      const beside = await writing.run(() => locks.getReadWriteLock('rw2').readLock().acquire());
      await redis.admin.config('SET', 'maxmemory', '1');
      try {
        await expect(lock.readLock().tryAcquire()).rejects.toMatchObject({ outcome: 'refused' });
        const { readLock, writeLock } = runtime.backend;
        const renewal = { name: 'rw', owner: reading.owner, lease: 5000 };
        await expect(readLock.renew([renewal])).resolves.toMatchObject({ held: [true] });
        await expect(writeLock.renew([{ ...renewal, name: 'rw2', owner: writing.owner }])).resolves.toMatchObject({
          held: [true],
        });
        const inner = await reading.run(() => lock.readLock().acquire());
        await expect(inner.release()).resolves.toBe('still-held');
        await expect(reading.release()).resolves.toBe('released');
        await expect(writing.release()).resolves.toBe('released');
        await expect(beside.release()).resolves.toBe('released');
        await expect(redis.probe.names()).resolves.toEqual([]);
      } finally {
        await redis.admin.config('SET', 'maxmemory', '0');
      }
    });
  });
});
