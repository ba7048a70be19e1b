import { LockAbortedError } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import type { Client } from '../kit/client.js';
import { track } from '../kit/time.js';
import { FairOrder } from './fair-order.js';
import { InteropWorld } from './interop-world.js';
import { lockChannel, prefixedName } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

const QUEUE = prefixedName('redisson_lock_queue', 'n');
const DEADLINES = prefixedName('redisson_lock_timeout', 'n');
const AT_ONCE_MS = 500;
const DEFAULT_SLOT_MS = 5000;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** The order of a fair lock over both sides. Behaviour that all kinds of locks share is in `lock-kinds.spec.ts`. */
inWorld(world, ({ time }) => {
  const queue = (): Promise<string[]> => world.admin.lrange(QUEUE, 0, -1);

  /** Starts a wait, and resolves when it has its place in the queue. */
  const queued = async <T>(start: () => Promise<T>): Promise<{ readonly wait: Promise<T> }> => {
    const before = (await queue()).length;
    const wait = start();
    await time.until(async () => (await queue()).length === before + 1, 2000);
    return { wait };
  };

  describe('The queue of a fair lock', () => {
    it('has the waiters of both sides in the order in which they came, and they get the lock in that order', async () => {
      const { java, locks } = await world.openBoth();
      const order = await FairOrder.watch(world.server.url, 'n');
      world.onReset(async () => order.close());
      const granted: string[] = [];
      const names = ['a', 'b', 'c'];
      // A waiting thread answers no other request, so it is asked for its owner id before.
      const threads = await Promise.all(names.map((name) => java.thread(name).owner()));
      const inJava = (place: number) => async (): Promise<void> => {
        const lock = java.thread(names[place] ?? '').lock('n', 'fair');
        await lock.lock();
        granted.push(threads[place] ?? '');
        await lock.unlock();
      };
      const inNode = async (): Promise<void> => {
        const hold = await locks.getFairLock('n').acquire(UNLIMITED);
        granted.push(hold.owner);
        await hold.release();
      };
      const first = await locks.getFairLock('n').acquire();
      const waits = [];
      for (const start of [inJava(0), inNode, inNode, inJava(1), inJava(2), inNode]) waits.push(await queued(start));
      const waiters = await queue();
      expect([0, 3, 4].map((place) => waiters[place])).toEqual(threads);
      expect((await world.admin.zrange(DEADLINES, '0', '-1')).sort()).toEqual([...waiters].sort());
      await first.release();
      await time.finish(Promise.all(waits.map(({ wait }) => wait)), 6 * AT_ONCE_MS);
      expect(granted).toEqual(waiters);
      expect(order.firstOvertaking).toBeUndefined();
      expect(order.grants).toEqual({ queued: 6, direct: 1 });
      await expect(world.lockNames()).resolves.toEqual([]);
    });

    it('keeps its order for as long as it is never empty, however short each wait in it', async () => {
      // No wait is long enough for a renewal of its deadline. Each new deadline is counted from that of the last waiter
      // in the queue, so all deadlines go back to the start of the queue.
      const java = await world.openJava();
      const clients = await Promise.all([world.open(), world.open(), world.open()]);
      const order = await FairOrder.watch(world.server.url, 'n');
      world.onReset(async () => order.close());
      const end = time.now() + 12_000;
      const inJava = async (name: string): Promise<void> => {
        const lock = java.thread(name).lock('n', 'fair');
        while (time.now() < end) {
          await lock.lock(1000);
          await time.pause(30);
          await lock.unlock();
        }
      };
      const inNode = async ({ locks }: Client): Promise<void> => {
        const lock = locks.getFairLock('n');
        while (time.now() < end) await lock.withLock({ ...UNLIMITED, lease: 1000 }, () => time.pause(30));
      };
      await Promise.all([inJava('a'), inJava('b'), inJava('c'), ...clients.map(inNode)]);
      expect(order.firstOvertaking).toBeUndefined();
      expect(order.grants.queued).toBeGreaterThan(100);
    });

    it('is left by waiters that give up, on either side, and the others move up', async () => {
      const { java, locks } = await world.openBoth();
      const ours = locks.getFairLock('n');
      const hold = await ours.acquire();
      const controller = new AbortController();
      const short = await queued(() => java.thread('a').lock('n', 'fair').tryLock(600, -1));
      const aborted = await queued(() => ours.acquire({ ...UNLIMITED, signal: controller.signal }));
      const inJava = await queued(() => java.thread('b').lock('n', 'fair').lock());
      const late = await queued(() => ours.tryAcquire({ wait: 600 }));
      const inNode = await queued(() => ours.acquire(UNLIMITED));
      controller.abort(new Error('not wanted any more'));
      await expect(aborted.wait).rejects.toBeInstanceOf(LockAbortedError);
      await expect(time.finish(short.wait, 600 + time.slack)).resolves.toBe(false);
      await expect(time.finish(late.wait, 600 + time.slack)).resolves.toBeNull();
      await time.until(async () => (await queue()).length === 2, 1000);
      await hold.release();
      await time.finish(inJava.wait, AT_ONCE_MS);
      await expect(queue()).resolves.toHaveLength(1);
      await java.thread('b').lock('n', 'fair').unlock();
      await time.finish(inNode.wait, AT_ONCE_MS);
      await expect(queue()).resolves.toEqual([]);
    });

    it('is not overtaken by a single try of either side while its head sleeps', async () => {
      const { java, locks } = await world.openBoth();
      await world.probe.put('n', 'somebody:1', 30_000);
      const head = await java.thread('a').owner();
      const { wait } = await queued(() => java.thread('a').lock('n', 'fair').lock());
      await world.listening(lockChannel('n'));
      const progress = track(wait);
      // Frees the lock without a message to the head.
      await world.probe.remove('n');
      await expect(locks.getFairLock('n').tryAcquire()).resolves.toBeNull();
      await expect(java.thread('b').lock('n', 'fair').tryLock()).resolves.toBe(false);
      expect(progress.settled).toBe(false);
      await expect(queue()).resolves.toEqual([head]);
    });

    it('does not keep the place of a Java waiter that was killed beyond its deadline', async () => {
      const java = await world.openJava({ fairLockWaitTimeout: 1500 });
      const { locks } = await world.open();
      await locks.getFairLock('n').acquire({ lease: 1000 });
      const dead = await queued(() => java.thread('a').lock('n', 'fair').lock());
      const [owner = ''] = await queue();
      const { wait } = await queued(() => locks.getFairLock('n').acquire(UNLIMITED));
      const deadline = Number(await world.admin.zscore(DEADLINES, owner));
      await Promise.all([expect(dead.wait).rejects.toThrow('SIGKILL'), java.kill()]);
      await time.finish(wait, deadline - Date.now() + time.slack);
      expect(Date.now()).toBeGreaterThanOrEqual(deadline - 2);
    });

    it('does not keep the place of a Node waiter that was killed beyond its deadline', async () => {
      const { java, thread } = await world.openBoth();
      const process = await world.openNodeProcess();
      await thread.lock('n', 'fair').lock(1000);
      const dead = await queued(() => process.call('acquire', 'fair', 'n'));
      const [owner = ''] = await queue();
      const { wait } = await queued(() => java.thread('b').lock('n', 'fair').lock());
      process.kill('SIGKILL');
      await expect(dead.wait).rejects.toThrow('SIGKILL');
      const deadline = Number(await world.admin.zscore(DEADLINES, owner));
      const left = deadline - Date.now();
      await time.finish(wait, left + time.slack);
      expect(Date.now()).toBeGreaterThanOrEqual(deadline - 2);
    });

    it('D16: does not keep for minutes what a Node waiter had booked for a Java waiter ahead, and was killed', async () => {
      const { java, locks } = await world.openBoth();
      const process = await world.openNodeProcess();
      const ours = locks.getFairLock('n');
      const hold = await ours.acquire();
      const lock = java.thread('a').lock('n', 'fair');
      const inJava = await queued(() => lock.tryLock(20_000, -1));
      const dead = await queued(() => process.call('acquire', 'fair', 'n'));
      process.kill('SIGKILL');
      await expect(dead.wait).rejects.toThrow('SIGKILL');
      await hold.release();
      await expect(time.finish(inJava.wait, AT_ONCE_MS)).resolves.toBe(true);
      await lock.unlock();
      const [owner = ''] = await queue();
      expect(Number(await world.admin.zscore(DEADLINES, owner)) - Date.now()).toBeGreaterThan(200_000);
      await time.finish(ours.acquire(UNLIMITED), DEFAULT_SLOT_MS + time.slack);
    });
  });
});
