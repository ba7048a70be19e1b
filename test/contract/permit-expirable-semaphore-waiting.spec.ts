import { LockTimeoutError } from '../../lib/standalone.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { Recorder } from './recorder.js';
import { RedisWorld } from '../kit/redis-world.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';
import { semaphoreChannel } from '../../lib/keys/redisson-keys.js';
import { openClient } from '../kit/client.js';

const LIMIT_MS = 30_000;

/** Rows PS of the behaviour catalogue with waiters. */
onEveryBackend((world) => {
  const { slack } = world.time;
  const open = async (permits?: number) => {
    const { locks } = await world.open({ wait: Infinity });
    const semaphore = locks.getPermitExpirableSemaphore('p');
    if (permits !== undefined) await semaphore.trySetPermits(permits);
    return semaphore;
  };
  const listening = (clients: number) => async (): Promise<boolean> =>
    (await world.probe.subscribers(semaphoreChannel('p'))) === clients;

  describe('Waiting for permits that have ids and leases', () => {
    it('PS-07 ends when a permit is released by its id', async () => {
      const [a, b] = [await open(1), await open()];
      const first = await a.acquire();
      expect(first.id).toMatch(/^[\da-f]{32}$/);
      const waiting = a.acquire();
      const progress = track(waiting);
      await world.time.until(listening(1), 1000);
      await world.time.pass(100);
      expect(progress.settled).toBe(false);
      await b.release(first);
      const second = await world.time.finish(waiting, 200 + slack);
      expect(second.id).not.toBe(first.id);
      await expect(a.tryAcquire()).resolves.toBeNull();
      await expect(a.availablePermits()).resolves.toBe(0);
      await world.time.until(listening(0), 1000);
    });

    it('PS-08 ends in time for a limited wait', async () => {
      const [a, b] = [await open(1), await open()];
      const first = await a.acquire();
      await expect(a.tryAcquire()).resolves.toBeNull();
      const start = world.time.now();
      const vain = await world.time.finish(a.tryAcquire({ wait: 100 }), 100 + slack);
      expect(vain).toBeNull();
      expect(world.time.now() - start).toBeGreaterThanOrEqual(98);
      const waiting = a.tryAcquire({ wait: '5s' });
      await world.time.until(listening(1), 1000);
      await b.release(first);
      await expect(world.time.finish(waiting, 200 + slack)).resolves.toHaveProperty('id');
      await expect(a.availablePermits()).resolves.toBe(0);
    });

    it('PS-10 is not needed if a permit is available, whatever its lease', async () => {
      const semaphore = await open(1);
      const id = await world.time.finish(semaphore.acquire({ lease: '5s' }), 100 + slack);
      await expect(semaphore.tryRelease(id)).resolves.toBe(true);
    });

    it.each(['acquire', 'tryAcquire'] as const)(
      'PS-11 PS-12 ends with the lease of a permit, taken by %s',
      async (take) => {
        const [a, b] = [await open(1), await open()];
        const expiring = await a[take]({ lease: 500, wait: '100s' });
        const start = world.time.now();
        const next = await world.time.finish(b.acquire(), 500 + slack);
        expect(world.time.now() - start).toBeGreaterThanOrEqual(400);
        await b.release(next);
        await expect(a.tryRelease(String(expiring))).resolves.toBe(false);
        await expect(a.availablePermits()).resolves.toBe(1);
      },
    );

    it('PS-18 lets 100 callers in one at a time with one permit', async () => {
      const semaphore = await open(1);
      const counter = new UnsafeCounter(world);
      const work = () => semaphore.withPermit(() => counter.add(0));
      await world.time.finish(crowd(100, 1, work), LIMIT_MS);
      expect(counter).toMatchObject({ count: 100, mostInside: 1 });
    });

    it(
      'PS-18 lets 16 clients in one at a time, 10 rounds each',
      async () => {
        const semaphores = await Promise.all(Array.from({ length: 16 }, () => open()));
        await semaphores[0]?.trySetPermits(1);
        const counter = new UnsafeCounter(world);
        const visits = semaphores.map((semaphore) => crowd(1, 10, () => semaphore.withPermit(() => counter.add(2))));
        await world.time.finish(Promise.all(visits), LIMIT_MS);
        expect(counter).toMatchObject({ count: 160, mostInside: 1 });
        await expect(semaphores[0]?.availablePermits()).resolves.toBe(1);
      },
      LIMIT_MS,
    );

    it('PS-19 lets two callers that want all permits in one after the other', async () => {
      const semaphore = await open(2);
      const visit = async (): Promise<boolean> => {
        const ids = await semaphore.tryAcquireMany(2, { wait: '5s' });
        await world.time.pause(50);
        return ids !== null && semaphore.tryRelease(ids);
      };
      await expect(world.time.finish(Promise.all([visit(), visit()]), 2000)).resolves.toEqual([true, true]);
      await expect(semaphore.availablePermits()).resolves.toBe(2);
    });

    it('PS-24 has never more permits out than there are, also while leases run out', async () => {
      const semaphore = await open(3);
      const take = () => semaphore.acquire({ lease: 800, wait: '10s' });
      const first = await Promise.all([take(), take(), take()]);
      const start = world.time.now();
      const waiting = Promise.all([take(), take(), take()]);
      const progress = track(waiting);
      let most = 0;
      await world.time.until(async () => {
        most = Math.max(most, await semaphore.acquiredPermits());
        return progress.settled;
      }, 800 + slack);
      expect(most).toBe(3);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(700);
      const second = await waiting;
      expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(6);
    });

    it.each([
      ['trySetPermits', (semaphore: Awaited<ReturnType<typeof open>>) => semaphore.trySetPermits(1)],
      ['setPermits', (semaphore: Awaited<ReturnType<typeof open>>) => semaphore.setPermits(1)],
      ['addPermits', (semaphore: Awaited<ReturnType<typeof open>>) => semaphore.addPermits(1)],
    ])('ends when %s makes a permit', async (_, make) => {
      const [waiter, other] = [await open(), await open()];
      const waiting = waiter.acquire();
      await world.time.until(listening(1), 1000);
      await make(other);
      await expect(world.time.finish(waiting, 200 + slack)).resolves.toHaveProperty('id');
    });

    it('reports in its error how many permits there are', async () => {
      const semaphore = await open(1);
      const waiting = semaphore.acquireMany(2, { wait: 50 });
      const error: unknown = await world.time.finish(waiting, 50 + slack).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(error).toMatchObject({ lockName: 'p', details: { available: 1, isSet: true } });
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it.each([0, Infinity])('releases permits granted after the signal has aborted, with a wait of %d', async (wait) => {
      const semaphore = await open(3);
      const controller = new AbortController();
      const waiting = semaphore.acquireMany(2, { wait, signal: controller.signal });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await world.time.until(async () => (await semaphore.availablePermits()) === 3, 1000);
      await expect(semaphore.acquiredPermits()).resolves.toBe(0);
    });
  });
});

const redis = new RedisWorld();

inWorld(redis, ({ time }) => {
  describe('Waiting for permits during messages of a peer', () => {
    it('X12 ends when a lease is over, without an announcement', async () => {
      const semaphore = (await redis.open()).locks.getPermitExpirableSemaphore('p');
      const recorder = await Recorder.listenTo(redis.server.url);
      redis.onReset(async () => recorder.close());
      const start = Date.now();
      await redis.admin.set('p', 0);
      await redis.admin.zadd('{p}:timeout', start + 1000, Buffer.from('00000000000000000000000000000001', 'hex'));
      const { id } = await time.finish(semaphore.acquire({ wait: Infinity }), 1000 + time.slack);
      expect(Date.now() - start).toBeGreaterThanOrEqual(1000);
      await expect(recorder.messages()).resolves.toEqual([[semaphoreChannel('p'), '1']]);
      await expect(redis.admin.get('p')).resolves.toBe('0');
      const members = await redis.admin.zrangeBuffer('{p}:timeout', '0', '-1');
      expect(members.map((member) => Buffer.from(member).toString('hex'))).toEqual([id]);
    });

    it('PS-22 uses the clock of the server, not that of the client', async () => {
      const a = (await redis.open()).locks.getPermitExpirableSemaphore('p');
      await a.trySetPermits(1);
      const id = await a.acquire({ lease: '5s' });
      const ahead = { ...systemScheduler, wallNow: () => Date.now() + 60_000 };
      const b = openClient({ connection: redis.server.url }, { scheduler: ahead });
      redis.onReset(() => b.close());
      const semaphore = b.locks.getPermitExpirableSemaphore('p');
      await expect(semaphore.tryAcquire()).resolves.toBeNull();
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await expect(a.tryRelease(id)).resolves.toBe(true);
    });
  });
});
