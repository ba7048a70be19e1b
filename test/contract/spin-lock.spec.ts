import { type Lock, LockOptionsError, LockOwnershipError, LockUnavailableError } from '../../lib/index.js';
import { constantBackoff } from '../../lib/advanced.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/** The longest pause of the default backoff, plus an attempt, ms. */
const PAUSE_MS = 150;

/** Rows SP of the behaviour catalogue. The backoffs themselves are in `backoff.spec.ts`. */
onEveryBackend((world) => {
  describe('A spin lock', () => {
    it('SP-01 is held, counted and force-released like a plain lock', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getSpinLock('n');
      await a.run(() => lock.acquire());
      const again = await a.run(() => lock.acquire());
      await expect(lock.isLocked()).resolves.toBe(true);
      await expect(a.run(() => lock.holdCount())).resolves.toBe(2);
      await expect(b.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
      await again.release();
      await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
      await expect(lock.forceRelease()).resolves.toBe(true);
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(lock.forceRelease()).resolves.toBe(false);
    });

    it('SP-01 excludes the plain lock of its name, and is re-entered by it', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.getSpinLock('n').acquire());
      await expect(b.run(() => locks.tryAcquire('n'))).resolves.toBeNull();
      await a.run(() => locks.acquire('n', { wait: 0 }));
      await expect(a.run(() => locks.getSpinLock('n').holdCount())).resolves.toBe(2);
    });

    it('SP-02 refuses a release by an owner that does not hold it', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getSpinLock('n');
      const hold = await b.run(() => lock.acquire());
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('SP-03 gives up when the wait is over, also if the holder has died', async () => {
      const [gone, client] = [await world.open(), await world.open()];
      await gone.locks.getSpinLock('n').acquire();
      await gone.close();
      const start = world.time.now();
      await expect(
        world.time.finish(client.locks.getSpinLock('n').tryAcquire({ wait: 600 }), 3000),
      ).resolves.toBeNull();
      expect(world.time.now() - start).toBeGreaterThanOrEqual(598);
      expect(world.time.now() - start).toBeLessThan(600 + 50 + world.time.slack);
    });

    it('SP-04 goes to the next when the lease ends, and the late release is refused', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getSpinLock('n');
      const before = world.time.now();
      await a.run(() => lock.acquire({ lease: 500 }));
      await world.time.finish(
        b.run(() => lock.acquire({ wait: Infinity })),
        520 + world.time.slack,
      );
      expect(world.time.now() - before).toBeGreaterThanOrEqual(499);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
    });

    it('SP-05 is renewed while its client lives, and free within one watchdog time-out after', async () => {
      const [gone, client] = [await world.open({ renewedLease: 3000 }), await world.open()];
      await gone.locks.getSpinLock('n').acquire();
      await world.renewed('n');
      await expect(client.locks.getSpinLock('n').isLocked()).resolves.toBe(true);
      await gone.close();
      await world.time.finish(client.locks.getSpinLock('n').acquire({ wait: Infinity }), 3000 + PAUSE_MS + 400);
    });

    it('SP-06 is acquired soon after its release, which is not announced', async () => {
      const { locks } = await world.open();
      const lock = locks.getSpinLock('n');
      const hold = await lock.acquire();
      const waiting = lock.acquire({ wait: Infinity });
      const progress = track(waiting);
      await world.time.pass(500);
      expect(progress.settled).toBe(false);
      await expect(world.probe.channels()).resolves.toEqual([]);
      await hold.release();
      await world.time.finish(waiting, PAUSE_MS + world.time.slack);
    });

    it('SP-06 announces neither a release nor a forced release, unlike a plain lock', async () => {
      const { locks, runtime } = await world.open();
      let heard = 0;
      const subscription = await runtime.backend.pubSub.subscribe(lockChannel('n'), () => (heard += 1));
      const messagesOf = async (lock: Lock): Promise<number> => {
        heard = 0;
        await (await lock.acquire()).release();
        await world.time.finish(lock.acquire(), 1000);
        await lock.forceRelease();
        await world.time.pass(50);
        return heard;
      };
      await expect(messagesOf(locks.getSpinLock('n'))).resolves.toBe(0);
      await expect(messagesOf(locks.getLock('n'))).resolves.toBe(2);
      subscription.cancel();
    });

    it('D51: wakes a client that waits in turn for the plain lock of its name, long before its next safety poll', async () => {
      const [spinning, waiting] = [await world.open(), await world.open({ safetyPoll: '1h' })];
      const hold = await spinning.locks.getSpinLock('n').acquire();
      const granted = waiting.locks.acquire('n', { wait: Infinity });
      await world.time.pass(200);
      await expect(world.probe.waitingClients('n')).resolves.toBe(1);
      await hold.release();
      await expect(world.time.finish(granted, 2000)).resolves.toMatchObject({ name: 'n' });
    });

    it('D27: is acquired at once after a release by its own process, in the longest pause', async () => {
      const { locks } = await world.open();
      const lock = locks.getSpinLock('n', constantBackoff('10s'));
      const hold = await lock.acquire();
      const waiting = lock.acquire({ wait: Infinity });
      await world.time.pass(100);
      await hold.release();
      await (await world.time.finish(waiting, world.time.slack)).release();
      await expect(world.probe.channels()).resolves.toEqual([]);
    });

    it('D27: is acquired by other processes although the holding process always has waiters', async () => {
      const [here, there] = [await world.open({ wait: Infinity }), await world.open({ wait: Infinity })];
      const lock = here.locks.getSpinLock('n', constantBackoff(50));
      const visit = async (): Promise<void> => {
        for (let round = 0; round < 50; round += 1) await lock.withLock(() => world.time.pause(10));
      };
      const visits = [visit(), visit(), visit()];
      await world.time.pass(5);
      const other = there.locks.getSpinLock('n', constantBackoff(5)).acquire({ lease: 50 });
      // The other process gets the lock long before the visits are over.
      await expect(world.time.finish(other, 600 + world.time.slack)).resolves.toMatchObject({ name: 'n' });
      await world.time.finish(Promise.all(visits), 5000);
    });

    it('SP-07 is not acquired by a waiter whose wait ends before', async () => {
      const { locks } = await world.open();
      const lock = locks.getSpinLock('n');
      const hold = await lock.acquire();
      await expect(world.time.finish(lock.tryAcquire({ wait: 300, lease: '30s' }), 700)).resolves.toBeNull();
      await expect(hold.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('SP-08 lets many owners of many clients in one at a time', async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, () => world.open({ wait: Infinity })));
      const counter = new UnsafeCounter(world);
      const crowds = clients.map(({ locks }) =>
        crowd(3, 5, () => locks.getSpinLock('n').withLock(() => counter.add(1))),
      );
      await world.time.finish(Promise.all(crowds), 30_000);
      expect(counter).toMatchObject({ count: 120, mostInside: 1 });
    });

    it('SP-12 cuts the last pause to the time left', async () => {
      const { locks } = await world.open();
      const lock = locks.getSpinLock('n', constantBackoff('10s'));
      await lock.acquire();
      const start = world.time.now();
      await expect(world.time.finish(lock.tryAcquire({ wait: 50 }), 2000)).resolves.toBeNull();
      expect(world.time.now() - start).toBeLessThan(50 + 10 + world.time.slack);
    });

    it('SP-13 refuses an invalid backoff before anything is sent', async () => {
      const { locks } = await world.open();
      const before = await world.probe.commands();
      expect(() => locks.getSpinLock('n', 64 as never)).toThrow(LockOptionsError);
      const silent = locks.getSpinLock('n', () => []);
      await expect(silent.acquire()).rejects.toThrow(LockOptionsError);
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it('rejects only the caller whose backoff fails later', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      const failing = locks.getSpinLock('n', () => [5, -1]).acquire({ wait: Infinity });
      const patient = locks.getSpinLock('n').acquire({ wait: Infinity });
      await expect(world.time.finish(failing, 1000)).rejects.toThrow(LockOptionsError);
      await hold.release();
      await world.time.finish(patient, PAUSE_MS + world.time.slack);
    });

    it('lets only one of its waiters in a process poll, at its own pace', async () => {
      const { locks, runtime } = await world.open();
      const hold = await locks.acquire('n');
      const lock = locks.getSpinLock('n', constantBackoff(100));
      const before = await world.probe.commands();
      const waits = Array.from({ length: 20 }, () => lock.tryAcquire({ wait: 450 }));
      await world.time.finish(Promise.all(waits), 2000);
      // One attempt at once, and one every 100 ms.
      expect((await world.probe.commands()) - before).toBeLessThanOrEqual(6);
      await world.time.until(() => runtime.acquirer.contended === 0, 1000);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('lets the next waiter poll at its own pace when the first leaves', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      const slow = locks.getSpinLock('n', constantBackoff('10s')).tryAcquire({ wait: 100 });
      const quick = locks.getSpinLock('n').acquire({ wait: Infinity });
      await expect(world.time.finish(slow, 1000)).resolves.toBeNull();
      await hold.release();
      await world.time.finish(quick, PAUSE_MS + world.time.slack);
    });

    it('stops at once when its signal aborts, in the longest pause', async () => {
      const { locks, runtime } = await world.open();
      await locks.acquire('n');
      const controller = new AbortController();
      const lock = locks.getSpinLock('n', constantBackoff('10s'));
      const waiting = lock.acquire({ wait: Infinity, signal: controller.signal });
      await world.time.pass(100);
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await world.time.until(() => runtime.acquirer.contended === 0, 100 + world.time.slack);
    });
  });
});

const redis = new RedisWorld();

inWorld(redis, ({ time }) => {
  describe('A spin lock without a server', () => {
    it('SP-09 is refused as unavailable, within its wait', async () => {
      const { locks } = await redis.open();
      await redis.server.kill9();
      const attempt = locks.getSpinLock('n').tryAcquire({ wait: 800, lease: '10s' });
      await expect(time.finish(attempt, 800 + 1000 + time.slack)).rejects.toThrow(LockUnavailableError);
      await redis.server.restart();
    });
  });
});
