import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import { prefixedName } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

const CHANNEL = prefixedName('redisson_sc', 's');
/**
 * The time within which a message wakes a waiter. A blocked Java thread looks again for no other reason, and Node polls
 * every 5 s.
 */
const AT_ONCE_MS = 500;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** The semaphore between this library and a real Redisson. */
inWorld(world, ({ time }) => {
  const openBoth = async () => {
    const { java, locks } = await world.openBoth();
    const theirs = (thread = 'a') => java.thread(thread).semaphore('s');
    return { theirs, ours: locks.getSemaphore('s') };
  };

  describe('Permits of a semaphore', () => {
    it('are set once, by whichever side comes first', async () => {
      const { theirs, ours } = await openBoth();
      await expect(theirs().trySetPermits(3)).resolves.toBe(true);
      await expect(ours.trySetPermits(5)).resolves.toBe(false);
      await ours.delete();
      await expect(ours.trySetPermits(5)).resolves.toBe(true);
      await expect(theirs().trySetPermits(3)).resolves.toBe(false);
      await expect(world.admin.get('s')).resolves.toBe('5');
    });

    it('are counted together', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(5);
      await theirs().acquire(2);
      await ours.acquire(2);
      await expect(ours.availablePermits()).resolves.toBe(1);
      await expect(theirs().availablePermits()).resolves.toBe(1);
      await expect(ours.tryAcquire(2)).resolves.toBe(false);
      await expect(theirs().tryAcquire(2)).resolves.toBe(false);
      await expect(theirs().tryAcquire(1)).resolves.toBe(true);
      await expect(ours.tryAcquire(1)).resolves.toBe(false);
    });

    it('expire when either side says so', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(2);
      await expect(theirs().remainTimeToLive()).resolves.toBe(-1);
      await expect(theirs().expire(60_000)).resolves.toBe(true);
      await expect(ours.remainingTtl()).resolves.toBeGreaterThan(50_000);
      await expect(ours.clearExpire()).resolves.toBe(true);
      await expect(theirs().remainTimeToLive()).resolves.toBe(-1);
      await expect(ours.expire('2m')).resolves.toBe(true);
      await expect(theirs().remainTimeToLive()).resolves.toBeGreaterThan(110_000);
    });

    it('given back by Node wake a Java waiter at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      await ours.acquire();
      const waiting = theirs().acquire();
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await ours.release();
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('given back by Java wake a Node waiter at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      await theirs().acquire();
      const waiting = ours.acquire(1, UNLIMITED);
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await theirs().release();
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('given back by Node together wake as many Java waiters', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(3);
      await ours.acquire(3);
      const waiting = ['a', 'b', 'c'].map((thread) => theirs(thread).acquire());
      await world.listening(CHANNEL);
      await ours.release(3);
      await time.finish(Promise.all(waiting), AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('given back by Java together wake as many Node waiters', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(3);
      await theirs().acquire(3);
      const waiting = [1, 2, 3].map(() => ours.acquire(1, UNLIMITED));
      await world.listening(CHANNEL);
      await theirs().release(3);
      await time.finish(Promise.all(waiting), AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('added by either side wake the other', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(0);
      const inJava = theirs().acquire();
      await world.listening(CHANNEL);
      await ours.addPermits(1);
      await time.finish(inJava, AT_ONCE_MS);
      const inNode = ours.acquire(1, UNLIMITED);
      await world.listening(CHANNEL);
      await theirs().addPermits(1);
      await time.finish(inNode, AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('taken away by Node below 0 leave Java waiters able to be woken', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(0);
      const waiting = theirs().acquire();
      await world.listening(CHANNEL);
      await ours.addPermits(-2);
      await expect(theirs('b').availablePermits()).resolves.toBe(-2);
      await ours.release(3);
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('set by either side wake the other, which had waited for a semaphore that did not exist', async () => {
      const { theirs, ours } = await openBoth();
      const inJava = theirs().acquire();
      await world.listening(CHANNEL);
      await ours.trySetPermits(1);
      await time.finish(inJava, AT_ONCE_MS);
      await ours.delete();
      const inNode = ours.acquire(1, UNLIMITED);
      await world.listening(CHANNEL);
      await theirs().trySetPermits(1);
      await time.finish(inNode, AT_ONCE_MS);
      await expect(world.admin.get('s')).resolves.toBe('0');
    });

    it('are drained by either side', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(4);
      await expect(theirs().drainPermits()).resolves.toBe(4);
      await expect(ours.drainPermits()).resolves.toBe(0);
      await theirs().release(2);
      await expect(ours.drainPermits()).resolves.toBe(2);
      await expect(theirs().availablePermits()).resolves.toBe(0);
    });

    it('go back only to a semaphore that exists, if so wanted', async () => {
      const { theirs, ours } = await openBoth();
      await expect(theirs().releaseIfExists()).resolves.toBe(false);
      await expect(ours.releaseIfExists()).resolves.toBe(false);
      await ours.trySetPermits(0);
      await expect(theirs().releaseIfExists()).resolves.toBe(true);
      await expect(ours.releaseIfExists()).resolves.toBe(true);
      await expect(world.admin.get('s')).resolves.toBe('2');
    });

    it('are not taken by waits that are over, on either side', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const waits = [ours.tryAcquire(2, { wait: 300 }), theirs().tryAcquire(2, 300)];
      await expect(time.finish(Promise.all(waits), 300 + time.slack)).resolves.toEqual([false, false]);
      await time.until(async () => (await world.listeners(CHANNEL)) === 0, 2000);
      await expect(world.admin.get('s')).resolves.toBe('1');
    });
  });
});
