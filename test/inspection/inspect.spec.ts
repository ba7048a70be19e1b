import type { LockService } from '../../lib/index.js';
import type { InspectedLock } from '../../lib/advanced.js';
import { Owner } from '../contract/owner.js';
import { onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';

const FREE = { state: 'free', holders: [], holderCount: 0, waiting: { count: 0 } } as const;

/** Resolves with the first inspection that has what is wanted. */
const seen = async (
  world: World,
  inspect: () => Promise<InspectedLock>,
  isWanted: (lock: InspectedLock) => boolean,
): Promise<InspectedLock> => {
  let last: InspectedLock | undefined;
  await world.time.until(async () => {
    last = await inspect();
    return isWanted(last);
  }, 5000);
  if (!last) throw new Error('Nothing was inspected');
  return last;
};

/** The locks of exclusive kinds, of one name. */
const EXCLUSIVE = {
  reentrant: (locks: LockService) => locks.getLock('n'),
  fair: (locks: LockService) => locks.getFairLock('n'),
  fenced: (locks: LockService) => locks.getFencedLock('n'),
  spin: (locks: LockService) => locks.getSpinLock('n'),
} as const;

onEveryBackend((world) => {
  describe('The inspection of a lock', () => {
    it.each(Object.entries(EXCLUSIVE))('tells of a free %s lock that nobody holds it', async (kind, lockOf) => {
      const { locks } = await world.open();
      await expect(lockOf(locks).inspect()).resolves.toEqual({ name: 'n', kind, ...FREE });
    });

    it.each(Object.entries(EXCLUSIVE))('tells who holds a %s lock, how often and for how long', async (_, lockOf) => {
      const [client, other] = [await world.open(), await world.open()];
      const lock = lockOf(client.locks);
      const owner = new Owner(client.locks);
      const hold = await owner.run(() => lock.acquire({ lease: '30s' }));
      await owner.run(() => lock.acquire({ lease: '30s' }));
      const inspected = await lock.inspect();
      expect(inspected).toMatchObject({ name: 'n', state: 'held', holderCount: 1 });
      expect(inspected.holders).toEqual([
        { owner: hold.owner, mode: 'exclusive', count: 2, remaining: expect.any(Number), isThisProcess: true },
      ]);
      const remaining = inspected.holders[0]?.remaining ?? 0;
      expect(remaining).toBeGreaterThan(0);
      expect(remaining).toBeLessThanOrEqual(30_000);
      expect((await lockOf(other.locks).inspect()).holders).toMatchObject([
        { owner: hold.owner, isThisProcess: false },
      ]);
    });

    it('tells the last fencing token, also when the lock is free', async () => {
      const { locks } = await world.open();
      const hold = await locks.getFencedLock('n').acquire();
      await expect(locks.getFencedLock('n').inspect()).resolves.toMatchObject({ fence: hold.fence });
      await hold.release();
      await expect(locks.getFencedLock('n').inspect()).resolves.toMatchObject({ state: 'free', fence: hold.fence });
    });

    it('tells which clients wait for a plain lock, in which order, and which of them is this one', async () => {
      const [holder, second, third] = [await world.open(), await world.open(), await world.open()];
      const hold = await holder.locks.getLock('n').acquire();
      const waits: Promise<unknown>[] = [];
      for (const [at, { locks }] of [second, third].entries()) {
        waits.push(locks.withLock('n', { wait: '20s' }, () => {}));
        await seen(
          world,
          () => holder.locks.getLock('n').inspect(),
          ({ waiting }) => waiting.order?.length === at + 1,
        );
      }
      const { waiting } = await third.locks.getLock('n').inspect();
      expect(waiting.order?.map(({ owner }) => owner.slice(0, owner.lastIndexOf(':')))).toEqual(
        [second, third].map(({ runtime }) => runtime.owners.clientId),
      );
      expect(waiting.position).toBe(2);
      expect((await second.locks.getLock('n').inspect()).waiting.position).toBe(1);
      expect((await holder.locks.getLock('n').inspect()).waiting).not.toHaveProperty('position');
      await hold.release();
      await world.time.finish(Promise.all(waits), 20_000);
      await expect(holder.locks.getLock('n').inspect()).resolves.toMatchObject({ state: 'free' });
    });

    it('tells who waits for a fair lock, in order, and that it is reserved for the first of them', async () => {
      const [holder, client] = [await world.open(), await world.open()];
      const hold = await holder.locks.getFairLock('n').acquire();
      const waits: Promise<unknown>[] = [];
      for (const count of [1, 2, 3]) {
        waits.push(client.locks.withLock('n', { fair: true, wait: '20s' }, () => {}));
        await seen(
          world,
          () => holder.locks.getFairLock('n').inspect(),
          ({ waiting }) => waiting.count === count,
        );
      }
      const places = await world.probe.queue('n');
      const inspected = await client.locks.getFairLock('n').inspect();
      expect(inspected.waiting).toEqual({ count: 3, order: places.map(({ owner }) => ({ owner })), position: 1 });
      expect(inspected.state).toBe('held');
      await hold.release();
      await world.time.finish(Promise.all(waits), 20_000);
    });

    it('tells that a free fair lock is reserved while a waiter has a place', async () => {
      const { locks } = await world.open();
      await world.probe.enqueue('n', { owner: 'gone:1', keptFor: 60_000 });
      await expect(locks.getFairLock('n').inspect()).resolves.toEqual({
        name: 'n',
        kind: 'fair',
        ...FREE,
        state: 'reserved',
        waiting: { count: 1, order: [{ owner: 'gone:1' }] },
      });
    });

    it('tells the readers of a read-write lock, each with its own lease', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const long = await one.locks.getReadWriteLock('n').readLock().acquire({ lease: '60s' });
      const short = await two.locks.getReadWriteLock('n').readLock().acquire({ lease: '20s' });
      const { holders, ...inspected } = await one.locks.getReadWriteLock('n').writeLock().inspect();
      expect(inspected).toMatchObject({ name: 'n', kind: 'write', state: 'held', holderCount: 2 });
      const found = new Map(holders.map((holder) => [holder.owner, holder]));
      expect(found.get(long.owner)).toMatchObject({ mode: 'read', count: 1, isThisProcess: true });
      expect(found.get(short.owner)).toMatchObject({ mode: 'read', count: 1, isThisProcess: false });
      expect(found.get(long.owner)?.remaining).toBeGreaterThan(20_000);
      expect(found.get(short.owner)?.remaining).toBeLessThanOrEqual(20_000);
    });

    it('tells the writer of a read-write lock, and its reads', async () => {
      const { locks } = await world.open();
      const lock = locks.getReadWriteLock('n');
      await lock.writeLock().withLock(async (hold) => {
        await lock.readLock().withLock(async () => {
          const { holders } = await lock.readLock().inspect();
          expect(holders.map(({ owner, mode, count }) => ({ owner, mode, count })).toSorted(byMode)).toEqual([
            { owner: hold.owner, mode: 'read', count: 1 },
            { owner: hold.owner, mode: 'write', count: 1 },
          ]);
        });
      });
    });

    it('D43: tells the writers that wait to go before new readers, also beside a lock without holder', async () => {
      const [{ locks }, writer] = [await world.open(), await world.open()];
      const lock = locks.getReadWriteLock('n', { preference: 'writer' });
      const reading = await lock.readLock().acquire();
      const waiting = writer.locks.getReadWriteLock('n', { preference: 'writer' }).writeLock().acquire({ wait: '20s' });
      const outcome = Promise.allSettled([waiting]);
      const writers = async () => (await lock.readLock().inspect()).waiting.writers;
      await world.time.until(async () => (await writers()) !== undefined, 1000);
      const refused: unknown = await lock
        .readLock()
        .acquire({ wait: 0 })
        .catch((error: unknown) => error);
      const next: unknown = Reflect.get(Object(Reflect.get(Object(refused), 'details')), 'next');
      await expect(lock.writeLock().inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: reading.owner, mode: 'read' }],
        waiting: { count: 1, writers: [{ owner: next }] },
      });
      // The process dies.
      writer.runtime.backend.writeLock.withdraw = async () => {};
      await writer.close();
      await outcome;
      await reading.release();
      await expect(lock.readLock().inspect()).resolves.toMatchObject({
        state: 'free',
        holders: [],
        waiting: { count: 1, writers: [{ owner: next }] },
      });
    });

    it('tells the holders of the values of a group lock, and of no other values', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const one = await a.run(() => locks.getGroupLock('g', ['v1', 'v2']).acquire({ lease: '30s' }));
      await b.run(() => locks.getGroupLock('g', ['v3']).acquire({ lease: '30s' }));
      const inspected = await locks.getGroupLock('g', ['v2', 'v4']).inspect();
      expect(inspected).toMatchObject({ kind: 'group', state: 'held', holderCount: 1 });
      expect(inspected.holders).toMatchObject([{ owner: one.owner, mode: 'exclusive', count: 1 }]);
      expect(inspected.holders[0]?.fields).toHaveLength(1);
      await expect(locks.getGroupLock('g', ['v4']).inspect()).resolves.toMatchObject(FREE);
    });

    it('tells of several locks as one what it tells of each', async () => {
      const { locks } = await world.open();
      const hold = await locks.getLock('a').acquire();
      const both = locks.getMultiLock('a', locks.getFairLock('b'));
      const inspected = await both.inspect();
      expect(inspected).toMatchObject({ name: 'a, b', kind: 'multi', state: 'free', holderCount: 1 });
      expect(inspected.members).toMatchObject([
        { name: 'a', kind: 'reentrant', state: 'held', holders: [{ owner: hold.owner }] },
        { name: 'b', kind: 'fair', state: 'free' },
      ]);
      const majority = locks.getMajorityLock(locks.getLock('a'), locks.getLock('b'), locks.getLock('c'));
      await expect(majority.inspect()).resolves.toMatchObject({ kind: 'multi', state: 'free' });
    });

    it('tells the permits of a limit, and who waits for one', async () => {
      const { locks } = await world.open();
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => (open = resolve));
      let owner = '';
      const work = locks.withLock('n', { limit: 1 }, (hold) => {
        owner = hold.owner;
        return opened;
      });
      await world.time.until(() => owner !== '', 5000);
      const waits = [1, 2].map(() => locks.withLock('n', { limit: 1, fair: true, wait: '20s' }, () => {}));
      const found = async () => {
        const listed: InspectedLock[] = [];
        for await (const lock of locks.list('n')) listed.push(lock);
        return listed[0];
      };
      await world.time.until(async () => (await found())?.waiting.count === 2, 5000);
      expect(await found()).toMatchObject({
        name: 'n',
        kind: 'limit',
        state: 'held',
        holders: [{ owner, mode: 'permit', count: 1, isThisProcess: true }],
        waiting: { count: 2, position: 1 },
        permits: { available: 0, inUse: 1, total: 1 },
      });
      open();
      await world.time.finish(Promise.all([work, ...waits]), 20_000);
    });
  });

  describe('The inspection of a synchronizer', () => {
    it('tells the permits of a semaphore', async () => {
      const { locks } = await world.open();
      const semaphore = locks.getSemaphore('n');
      await expect(semaphore.inspect()).resolves.toEqual({ name: 'n', kind: 'semaphore', ...FREE });
      await semaphore.trySetPermits(2);
      await semaphore.acquire(2);
      await expect(semaphore.inspect()).resolves.toMatchObject({ state: 'held', permits: { available: 0 } });
      await semaphore.release();
      await expect(semaphore.inspect()).resolves.toMatchObject({ state: 'free', permits: { available: 1 } });
    });

    it('tells how many wait for a semaphore', async () => {
      const { locks } = await world.open();
      const semaphore = locks.getSemaphore('n');
      await semaphore.trySetPermits(0);
      const waiting = semaphore.acquire(1, { wait: '20s' });
      await seen(
        world,
        () => semaphore.inspect(),
        (found) => found.waiting.count === 1,
      );
      await semaphore.release();
      await world.time.finish(waiting, 20_000);
      await expect(semaphore.inspect()).resolves.toMatchObject({ state: 'held', permits: { available: 0 } });
    });

    it('tells the permits of a semaphore with ids, and their leases', async () => {
      const [client, other] = [await world.open(), await world.open()];
      const semaphore = client.locks.getPermitExpirableSemaphore('n');
      await semaphore.trySetPermits(3);
      const limited = await semaphore.acquire({ lease: '30s' });
      const endless = await other.locks.getPermitExpirableSemaphore('n').acquire();
      const { holders, ...inspected } = await semaphore.inspect();
      expect(inspected).toMatchObject({
        kind: 'permitExpirableSemaphore',
        state: 'held',
        holderCount: 2,
        permits: { available: 1, inUse: 2, total: 3 },
      });
      const found = new Map(holders.map((holder) => [holder.owner, holder]));
      expect(found.get(limited.id)).toMatchObject({ mode: 'permit', count: 1, isThisProcess: true });
      expect(found.get(limited.id)?.remaining).toBeGreaterThan(0);
      expect(found.get(endless.id)).toMatchObject({ remaining: -1, isThisProcess: false });
    });

    it('counts a permit as available once its lease is over, and returns none to the pool', async () => {
      const { locks } = await world.open();
      const semaphore = locks.getPermitExpirableSemaphore('n');
      await semaphore.trySetPermits(1);
      await semaphore.acquire({ lease: 100 });
      await seen(
        world,
        () => semaphore.inspect(),
        ({ holderCount }) => holderCount === 0,
      );
      const names = await world.probe.names();
      await expect(semaphore.inspect()).resolves.toMatchObject({ permits: { available: 1, inUse: 0, total: 1 } });
      await expect(world.probe.names()).resolves.toEqual(names);
    });

    it('tells the counts of a latch, and how many wait for them', async () => {
      const { locks } = await world.open();
      const latch = locks.getCountDownLatch('n');
      await expect(latch.inspect()).resolves.toEqual({ name: 'n', kind: 'countDownLatch', ...FREE, count: 0 });
      await latch.trySetCount(1);
      const waiting = latch.await({ wait: '20s' });
      const inspected = await seen(
        world,
        () => latch.inspect(),
        (found) => found.waiting.count === 1,
      );
      expect(inspected).toMatchObject({ state: 'held', count: 1 });
      await latch.countDown();
      await expect(world.time.finish(waiting, 20_000)).resolves.toBe(true);
    });
  });
});

const byMode = (a: { readonly mode: string }, b: { readonly mode: string }): number => (a.mode < b.mode ? -1 : 1);
