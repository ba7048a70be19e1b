import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';

const world = new InteropWorld();

/**
 * The time within which a message wakes a waiter. A blocked Java thread looks again for no other reason, and Node polls
 * every 5 s.
 */
const AT_ONCE_MS = 500;

/** The latch between this library and a real Redisson. */
inWorld(world, ({ time }) => {
  describe.each(['c', 'x{c}y'])('The latch %p', (name) => {
    const channel = `redisson_countdownlatch__channel__{${name}}`;

    const openBoth = async () => {
      const { java, locks } = await world.openBoth();
      const theirs = (thread = 'a') => java.thread(thread).latch(name);
      return { theirs, ours: locks.getCountDownLatch(name) };
    };

    it('is set once, and counted down by both sides together', async () => {
      const { theirs, ours } = await openBoth();
      await expect(theirs().trySetCount(3)).resolves.toBe(true);
      await expect(ours.trySetCount(7)).resolves.toBe(false);
      await ours.countDown();
      await theirs().countDown();
      await expect(ours.getCount()).resolves.toBe(1);
      await expect(theirs().getCount()).resolves.toBe(1);
      await ours.countDown();
      await expect(world.admin.exists(name)).resolves.toBe(0);
      await expect(ours.trySetCount(7)).resolves.toBe(true);
      await expect(theirs().trySetCount(3)).resolves.toBe(false);
    });

    it('opened by Node lets all Java threads through at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetCount(2);
      const waiting = Promise.all(['a', 'b', 'c'].map((thread) => theirs(thread).await()));
      const progress = track(waiting);
      await world.listening(channel);
      await ours.countDown();
      await world.listening(channel);
      expect(progress.settled).toBe(false);
      await ours.countDown();
      await expect(time.finish(waiting, AT_ONCE_MS)).resolves.toEqual([true, true, true]);
    });

    it('opened by Java lets all Node callers through at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetCount(2);
      const waiting = Promise.all([1, 2, 3].map(() => ours.await()));
      const progress = track(waiting);
      await world.listening(channel);
      await theirs().countDown();
      await world.listening(channel);
      expect(progress.settled).toBe(false);
      await theirs().countDown();
      await expect(time.finish(waiting, AT_ONCE_MS)).resolves.toEqual([true, true, true]);
    });

    it('stays closed for waits that are over, on both sides', async () => {
      const { theirs, ours } = await openBoth();
      await theirs().trySetCount(1);
      const waits = Promise.all([ours.await({ wait: 300 }), theirs().await(300)]);
      await expect(time.finish(waits, 300 + time.slack)).resolves.toEqual([false, false]);
      await time.until(async () => (await world.listeners(channel)) === 0, 2000);
    });

    it('that Node sets again keeps Java waiting until it opens again', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetCount(1);
      const first = theirs().await();
      await world.listening(channel);
      await ours.countDown();
      await time.finish(first, AT_ONCE_MS);
      await ours.trySetCount(1);
      const second = theirs().await();
      const progress = track(second);
      await world.listening(channel);
      expect(progress.settled).toBe(false);
      await ours.countDown();
      await time.finish(second, AT_ONCE_MS);
    });

    it('deleted by Java lets Node through', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetCount(1);
      const waiting = ours.await();
      await world.listening(channel);
      await expect(theirs().delete()).resolves.toBe(true);
      await expect(time.finish(waiting, AT_ONCE_MS)).resolves.toBe(true);
    });

    it('deleted by Node leaves Java waiting, as if Java had deleted it, until it is set and opens again', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetCount(1);
      const waiting = theirs().await();
      const progress = track(waiting);
      await world.listening(channel);
      await expect(ours.delete()).resolves.toBe(true);
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await ours.trySetCount(1);
      await ours.countDown();
      await time.finish(waiting, AT_ONCE_MS);
    });
  });
});
