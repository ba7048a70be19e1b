import { onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';
import { Owner } from './owner.js';
import { track } from '../kit/time.js';
import { fairQueue } from '../../lib/keys/redisson-keys.js';

/** Resolves when this many waiters are in the queue of the lock. */
const queued = (world: World, name: string, count: number): Promise<number> =>
  world.time.until(async () => (await world.probe.queue(name)).length === count, 2000);

/** Resolves when no client sends commands any more. */
const asleep = (world: World): Promise<number> =>
  world.time.until(async () => {
    const before = await world.probe.commands();
    await world.time.pass(100);
    return (await world.probe.commands()) === before;
  }, 3000);

/** Rows FL of the behaviour catalogue about calls of a few owners. Crowds and queues have specs of their own. */
onEveryBackend((world) => {
  describe('A fair lock', () => {
    it('FL-01 serves in order when leases end without an announcement', async () => {
      const { locks } = await world.open();
      const lock = locks.getFairLock('n');
      const order: number[] = [];
      const works: Promise<unknown>[] = [];
      const start = world.time.now();
      for (let arrival = 0; arrival < 8; arrival++) {
        works.push(lock.acquire({ wait: '20s', lease: 500 }).then(() => order.push(arrival)));
        await world.time.pass(10);
      }
      await world.time.finish(Promise.all(works), 8 * 500 + 4 * world.time.slack);
      expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(7 * 499);
    });

    it('FL-10 is taken again by its owner without waiting although others queue', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = locks.getFairLock('n');
      await a.run(() => lock.acquire());
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 'n', 1);
      await a.run(() => lock.acquire({ wait: 0 }));
      await expect(a.run(() => lock.holdCount())).resolves.toBe(2);
      await a.run(() => lock.release());
      await a.run(() => lock.release());
      await world.time.finish(waiting, 500 + world.time.slack);
    });

    it('FL-12 keeps its queue under the prefixed name', async () => {
      const { locks } = await world.open({ keyPrefix: 'test::' });
      const lock = locks.getFairLock('n');
      const hold = await lock.acquire();
      const waiting = lock.acquire({ wait: Infinity });
      await world.time.until(async () => (await world.probe.names()).includes(fairQueue('test::n')), 1000);
      await expect(lock.isLocked()).resolves.toBe(true);
      await hold.release();
      await (await world.time.finish(waiting, 500 + world.time.slack)).release();
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('FL-13 is acquired by one attempt after a waiter gave up and the holder released', async () => {
      const { locks } = await world.open();
      const lock = locks.getFairLock('n');
      const hold = await lock.acquire();
      await expect(world.time.finish(lock.tryAcquire({ wait: 100 }), 2000)).resolves.toBeNull();
      await hold.release();
      await expect(lock.tryAcquire()).resolves.not.toBeNull();
    });

    it('FL-21 keeps the place of a waiter no longer than it waits', async () => {
      const [one, other] = [await world.open(), await world.open()];
      await one.locks.getFairLock('n').acquire();
      const start = world.time.now();
      const waiting = other.locks.getFairLock('n').tryAcquire({ wait: 400 });
      await queued(world, 'n', 1);
      await expect(world.time.finish(waiting, 2000)).resolves.toBeNull();
      expect(world.time.now() - start).toBeGreaterThanOrEqual(398);
      await queued(world, 'n', 0);
      await expect(world.probe.names()).resolves.toEqual(['n']);
    });
  });

  describe('The queue of a fair lock', () => {
    it('FL-13 loses an aborted waiter at once', async () => {
      const { locks, runtime } = await world.open();
      const lock = locks.getFairLock('n');
      const hold = await lock.acquire();
      const [reason, controller] = [new Error('enough'), new AbortController()];
      const waiting = lock.acquire({ wait: Infinity, signal: controller.signal });
      await queued(world, 'n', 1);
      controller.abort(reason);
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
      await queued(world, 'n', 0);
      await world.time.until(async () => (await world.probe.channels()).length === 0, 1000);
      expect(runtime.acquirer.contended).toBe(0);
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
    });

    it('FL-13 passes the turn on if the head gives up', async () => {
      const [one, other] = [await world.open(), await world.open()];
      const hold = await one.locks.getFairLock('n').acquire();
      const controller = new AbortController();
      const first = one.locks.getFairLock('n').acquire({ wait: Infinity, signal: controller.signal });
      await queued(world, 'n', 1);
      const second = other.locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 'n', 2);
      await world.time.until(async () => (await world.probe.channels()).length === 2, 2000);
      await asleep(world);
      // Frees the lock without an announcement.
      await world.probe.remove('n');
      controller.abort();
      await expect(first).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await world.time.finish(second, 500 + world.time.slack);
      await expect(hold.release()).resolves.toBe('expired');
    });

    it('is not overtaken by a single attempt, even if the lock is free', async () => {
      const { locks } = await world.open();
      await world.probe.enqueue('n', { owner: 'somebody', keptFor: 60_000 });
      await expect(locks.getFairLock('n').tryAcquire()).resolves.toBeNull();
      await expect(locks.getFairLock('n').acquire({ wait: 0 })).rejects.toMatchObject({ code: 'LOCK_CONFLICT' });
      await expect(world.probe.queue('n')).resolves.toMatchObject([{ owner: 'somebody' }]);
    });

    it('waits for the holder of the plain lock, and excludes others from it', async () => {
      const { locks } = await world.open({ safetyPoll: 300 });
      const plain = await locks.acquire('n');
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      const progress = track(waiting);
      await queued(world, 'n', 1);
      await world.time.pass(400);
      expect(progress.settled).toBe(false);
      await plain.release();
      // A release of the plain lock notifies no waiter in the queue, as in Redisson.
      const hold = await world.time.finish(waiting, 300 + world.time.slack);
      await expect(locks.tryAcquire('n')).resolves.toBeNull();
      await hold.release();
      await expect(locks.tryAcquire('n')).resolves.not.toBeNull();
    });

    it('is joined again by all waiters after the server lost its data', async () => {
      const [one, other] = [await world.open({ fairWaitTimeout: 300 }), await world.open({ fairWaitTimeout: 300 })];
      await one.locks.getFairLock('n').acquire();
      const order: string[] = [];
      const wait = async (name: string, { locks }: typeof one): Promise<void> => {
        const hold = await locks.getFairLock('n').acquire({ wait: '10s' });
        order.push(name);
        await hold.release();
      };
      const works = [wait('a', one)];
      await queued(world, 'n', 1);
      works.push(wait('b', other));
      await queued(world, 'n', 2);
      await world.probe.clear();
      await world.time.finish(Promise.all(works), 2000 + world.time.slack);
      expect(order.toSorted()).toEqual(['a', 'b']);
      await world.time.until(async () => (await world.probe.names()).length === 0, 1000);
    });
  });
});
