import { LockOptionsError, LockUnavailableError, type Lock } from '../../lib/standalone.js';
import { constantBackoff } from '../../lib/advanced.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/** The longest pause of the default backoff, plus an attempt, ms. */
const PAUSE_MS = 150;

/** Rows SP of the behaviour catalogue. The backoffs themselves are in `backoff.spec.ts`. */
onEveryBackend((world) => {
  describe('A spin lock', () => {
    it('SP-01 excludes the plain lock of its name, and is re-entered by it', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.getSpinLock('n').acquire());
      await expect(b.run(() => locks.tryAcquire('n'))).resolves.toBeNull();
      await a.run(() => locks.acquire('n', { wait: 0 }));
      await expect(a.run(() => locks.getSpinLock('n').holdCount())).resolves.toBe(2);
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
      const other = there.locks.getSpinLock('n', constantBackoff(5)).acquire({ lease: 600 });
      // The other process gets the lock long before the visits are over.
      await expect(world.time.finish(other, 600 + world.time.slack)).resolves.toMatchObject({ name: 'n' });
      await world.time.finish(Promise.all(visits), 5000);
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
