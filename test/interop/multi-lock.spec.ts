import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import type { JavaThread } from './java-thread.js';

const world = new InteropWorld();

const AT_ONCE_MS = 500;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

const plain = (name: string) => ({ kind: 'plain', name }) as const;
const theirs = (thread: JavaThread, ...names: readonly string[]) => thread.multiLock(...names.map(plain));

/** Several locks as one, on either side. Redis only stores their members. */
inWorld(world, ({ time }) => {
  const heldNames = async (): Promise<string[]> => (await world.lockNames()).sort();

  describe('A multi-lock', () => {
    it('held by Node keeps Java from each of its locks, and from all together', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await locks.getMultiLock('a', 'b', 'c').acquire();
      await expect(heldNames()).resolves.toEqual(['a', 'b', 'c']);
      await expect(thread.lock('b').tryLock()).resolves.toBe(false);
      await expect(theirs(thread, 'a', 'b', 'c').tryLock()).resolves.toBe(false);
      await expect(theirs(thread, 'c', 'd').tryLock()).resolves.toBe(false);
      await expect(hold.release()).resolves.toBe('released');
      await expect(theirs(thread, 'a', 'b', 'c').tryLock()).resolves.toBe(true);
      await expect(heldNames()).resolves.toEqual(['a', 'b', 'c']);
    });

    it('held by Java keeps Node from each of its locks, and from all together', async () => {
      const { thread, locks } = await world.openBoth();
      const multi = theirs(thread, 'a', 'b', 'c');
      await multi.lock();
      await expect(locks.tryAcquire('b')).resolves.toBeNull();
      await expect(locks.getMultiLock('a', 'b', 'c').tryAcquire()).resolves.toBeNull();
      await expect(locks.getMultiLock('c', 'd').tryAcquire()).resolves.toBeNull();
      const waiting = locks.getMultiLock('a', 'b', 'c').acquire(UNLIMITED);
      const progress = track(waiting);
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await multi.unlock();
      const hold = await time.finish(waiting, AT_ONCE_MS);
      await expect(hold.release()).resolves.toBe('released');
      await expect(heldNames()).resolves.toEqual([]);
    });

    it('of which one lock is taken by the other side leaves none of the rest behind', async () => {
      const { thread, locks } = await world.openBoth();
      await thread.lock('b').lock();
      await expect(locks.getMultiLock('a', 'b', 'c').tryAcquire({ wait: 300 })).resolves.toBeNull();
      await time.until(async () => (await heldNames()).join() === 'b', 1000);
      await thread.lock('b').unlock();
      const hold = await locks.acquire('b');
      await expect(theirs(thread, 'a', 'b', 'c').tryLock(300, -1)).resolves.toBe(false);
      await time.until(async () => (await heldNames()).join() === 'b', 1000);
      await hold.release();
    });

    it('of either side with a lease is free for the other when that is over, and not before', async () => {
      const { thread, locks } = await world.openBoth();
      const start = time.now();
      await locks.getMultiLock('a', 'b').acquire({ lease: 1000 });
      await time.finish(thread.lock('b').lock(), 1000 + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(998);
      await thread.lock('b').unlock();
      const again = time.now();
      await theirs(thread, 'a', 'b').lock(1000);
      await time.finish(locks.getMultiLock('a', 'b').acquire(UNLIMITED), 1000 + time.slack);
      expect(time.now() - again).toBeGreaterThanOrEqual(998);
    });

    it('wanted by both sides in opposite order goes to each in turn, again and again', async () => {
      const { thread, locks } = await world.openBoth();
      const [multi, ours] = [theirs(thread, 'b', 'a'), locks.getMultiLock('a', 'b')];
      const rounds = 10;
      const inJava = async (): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          await multi.lock();
          await multi.unlock();
        }
      };
      const inNode = async (): Promise<void> => {
        for (let round = 0; round < rounds; round++) await ours.withLock(UNLIMITED, () => time.pause(5));
      };
      // Java gives up after 1500 ms for each lock and releases what it has, which ends a possible deadlock.
      await time.finish(Promise.all([inJava(), inNode()]), rounds * 3000 + time.slack);
      await expect(heldNames()).resolves.toEqual([]);
    });
  });
});
