import { onEveryBackend } from '../kit/every-backend.js';
import type { RawPlace, World } from '../kit/world.js';
import { track } from '../kit/time.js';
import { fairDeadlines, fairQueue } from '../../lib/keys/redisson-keys.js';

const SLOT = 600;
/** The ids of a Redisson client, and of a client of this library in another process. */
const JAVA = '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11';
const NODE = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11';

const ownersOf = (places: readonly RawPlace[]): string[] => places.map(({ owner }) => owner);

const queued = (world: World, count: number): Promise<number> =>
  world.time.until(async () => (await world.probe.queue('n')).length === count, 3000);

/** The waiters in the queue of a fair lock, their deadlines, and the places of dead waiters. */
onEveryBackend((world) => {
  describe('A single attempt for a fair lock', () => {
    it('FL-16 delays no waiter and stores nothing', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      const attempt = async (owner: string): Promise<boolean> =>
        (await fairLock.acquire({ name: 'n', owner, lease: 500 })).outcome === 'acquired';
      await expect(attempt('java:101')).resolves.toBe(true);
      await expect(attempt('java:102')).resolves.toBe(false);
      await expect(attempt('java:103')).resolves.toBe(false);
      await expect(fairLock.release({ name: 'n', owner: 'java:101', lease: 500 })).resolves.toMatchObject({
        outcome: 'released',
      });
      await expect(attempt('java:102')).resolves.toBe(true);
      await expect(attempt('java:104')).resolves.toBe(false);
      await expect(attempt('java:103')).resolves.toBe(false);
      await expect(attempt('java:104')).resolves.toBe(false);
      await world.time.until(async () => (await world.probe.names()).length === 0, 500 + world.time.slack);
      await expect(attempt('java:104')).resolves.toBe(true);
    });
  });

  describe('The deadlines of a fair queue', () => {
    const keptFor = async (): Promise<number[]> =>
      (await world.probe.queue('n')).map((place) => place.keptFor ?? Number.NaN);

    it('FL-17 fall by one slot for those behind the new holder', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      const lease = 300_000;
      const attempt = (owner: string) => fairLock.queue({ name: 'n', owner, lease, slot: 5000 });
      await expect(attempt('java:101')).resolves.toMatchObject({ outcome: 'acquired' });
      await expect(attempt('java:102')).resolves.toMatchObject({ outcome: 'queued', head: 'java:102' });
      await expect(attempt('java:103')).resolves.toMatchObject({ outcome: 'queued', head: 'java:102' });
      const [, before = 0] = await keptFor();
      await fairLock.release({ name: 'n', owner: 'java:101', lease });
      await expect(attempt('java:102')).resolves.toMatchObject({ outcome: 'acquired' });
      await expect(attempt('java:104')).resolves.toMatchObject({ outcome: 'queued', head: 'java:103' });
      const [third = 0, fourth = 0] = await keptFor();
      // The difference is one slot and the time that passed, not two slots.
      expect(before - third).toBeGreaterThanOrEqual(4999);
      expect(before - third).toBeLessThan(9000);
      expect(fourth - third).toBeCloseTo(5000, -1);
      await expect(attempt('java:104')).resolves.toMatchObject({ outcome: 'waiting' });
      const [, again = 0] = await keptFor();
      expect(again).toBeLessThanOrEqual(fourth);
    });

    it('are renewed for live waiters, a slot from now at any place, and unchanged for others', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      await world.probe.put('n', 'holder:1', 60_000);
      await world.probe.enqueue('n', { owner: `${NODE}:1`, keptFor: 100_000 });
      await world.probe.enqueue('n', { owner: `${NODE}:2`, keptFor: 60_000 });
      await world.probe.enqueue('n', { owner: `${NODE}:3`, keptFor: 500 });
      const owners = [`${NODE}:1`, `${NODE}:3`, `${NODE}:4`];
      await expect(fairLock.keep({ name: 'n', owners, slot: 2000 })).resolves.toEqual([true, true, false]);
      const [first = 0, second = 0, third = 0] = await keptFor();
      expect(first).toBeLessThanOrEqual(2000);
      expect(second).toBeGreaterThan(30_000);
      expect(third).toBeGreaterThan(500);
      expect(third).toBeLessThanOrEqual(2000);
    });

    it('include the time that a Java waiter ahead subtracts when it gets the lock', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      await world.probe.enqueue('n', { owner: `${JAVA}:1`, keptFor: 200_000 });
      await world.probe.enqueue('n', { owner: `${NODE}:1`, keptFor: 1000 });
      await fairLock.keep({ name: 'n', owners: [`${NODE}:1`], slot: 2000 });
      await expect(
        fairLock.queue({ name: 'n', owner: `${JAVA}:1`, lease: 60_000, slot: 300_000 }),
      ).resolves.toMatchObject({
        outcome: 'acquired',
      });
      const [place] = await world.probe.queue('n');
      expect(place?.owner).toBe(`${NODE}:1`);
      expect(place?.keptFor).toBeGreaterThan(1000);
      expect(place?.keptFor).toBeLessThanOrEqual(2000);
    });

    it('let the queue expire if only this library waits in it, and not if Redisson does', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      await world.probe.put('n', 'holder:1', 60_000);
      const queue = (owner: string) => fairLock.queue({ name: 'n', owner, lease: 1000, slot: 5000 });
      const ttl = async (): Promise<number> => (await world.probe.state(fairQueue('n'))).ttl;
      const deadlinesTtl = async (): Promise<number> => (await world.probe.state(fairDeadlines('n'))).ttl;
      await queue(`${NODE}:1`);
      // The time to live is the slot and a minute.
      expect(await ttl()).toBeGreaterThan(60_000);
      expect(await ttl()).toBeLessThanOrEqual(65_000);
      await fairLock.keep({ name: 'n', owners: [`${NODE}:1`], slot: 5000 });
      expect(await ttl()).toBeLessThanOrEqual(65_000);
      await queue(`${JAVA}:1`);
      await expect(ttl()).resolves.toBe(-1);
      // Java reads the deadlines of its waiters for as long as it reads the queue.
      await expect(deadlinesTtl()).resolves.toBe(-1);
      await fairLock.leave({ name: 'n', owners: [`${JAVA}:1`], lease: 1000, slot: 300_000 });
      expect(await ttl()).toBeGreaterThan(0);
      expect(await deadlinesTtl()).toBeGreaterThan(0);
    });
  });

  describe('A waiter for a fair lock', () => {
    it('keeps its place for much longer than a slot', async () => {
      const slot = 1000;
      const [one, other] = [await world.open({ fairWaitTimeout: slot }), await world.open({ fairWaitTimeout: slot })];
      const hold = await one.locks.getFairLock('n').acquire();
      const order: string[] = [];
      const works = [
        one.locks.getFairLock('n').withLock({ wait: Infinity }, async () => void order.push('first')),
        one.locks.getFairLock('n').withLock({ wait: Infinity }, async () => void order.push('second')),
      ];
      await queued(world, 2);
      works.push(other.locks.getFairLock('n').withLock({ wait: Infinity }, async () => void order.push('third')));
      await queued(world, 3);
      const before = ownersOf(await world.probe.queue('n'));
      await world.time.pass(2.5 * slot);
      const places = await world.probe.queue('n');
      expect(ownersOf(places)).toEqual(before);
      for (const { keptFor } of places) expect(keptFor).toBeGreaterThan(0);
      await hold.release();
      await world.time.finish(Promise.all(works), 2000);
      expect(order).toEqual(['first', 'second', 'third']);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('FL-19 gets the lock when those before it died, one slot later', async () => {
      const client = await world.open({ fairWaitTimeout: SLOT });
      const { backend } = client.runtime;
      const hold = await client.locks.getFairLock('n').acquire();
      for (const owner of [`${NODE}:1`, `${NODE}:2`, `${NODE}:3`]) {
        await backend.fairLock.queue({ name: 'n', owner, lease: 1000, slot: SLOT });
      }
      // The last sign of life of the dead process.
      const died = world.time.now();
      await backend.fairLock.keep({ name: 'n', owners: [1, 2, 3].map((n) => `${NODE}:${n}`), slot: SLOT });
      const waiting = client.locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 4);
      await hold.release();
      await world.time.finish(waiting, SLOT + world.time.slack);
      expect(world.time.now() - died).toBeGreaterThanOrEqual(SLOT - 2);
    });

    it('D16: gets the lock one slot after those before it died, whatever the lease of the holder', async () => {
      const client = await world.open({ fairWaitTimeout: SLOT });
      const hold = await client.locks.getFairLock('n').acquire({ lease: '10m' });
      const { fairLock } = client.runtime.backend;
      // These places have never been kept.
      for (const owner of [`${NODE}:1`, `${NODE}:2`, `${NODE}:3`]) {
        await fairLock.queue({ name: 'n', owner, lease: 1000, slot: SLOT });
      }
      const waiting = client.locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 4);
      await hold.release();
      const got = await world.time.finish(waiting, SLOT + world.time.slack);
      expect(got.isHeld).toBe(true);
    });

    it('gets the lock although a waiter before it has no deadline', async () => {
      const { locks } = await world.open({ fairWaitTimeout: SLOT });
      await world.probe.enqueue('n', { owner: 'lost', keptFor: undefined });
      const start = world.time.now();
      await world.time.finish(locks.getFairLock('n').acquire({ wait: Infinity }), SLOT + world.time.slack);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(SLOT - 2);
      await expect(world.probe.queue('n')).resolves.toEqual([]);
    });

    it('queues again after its place was removed', async () => {
      const { locks } = await world.open({ fairWaitTimeout: SLOT });
      await world.probe.put('n', 'holder:1', 60_000);
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      const progress = track(waiting);
      await queued(world, 1);
      const before = ownersOf(await world.probe.queue('n'));
      await world.probe.remove(fairQueue('n'));
      await world.time.until(async () => (await world.probe.queue('n')).length === 1, SLOT + world.time.slack);
      expect(ownersOf(await world.probe.queue('n'))).toEqual(before);
      expect(progress.settled).toBe(false);
    });

    it('D24: is woken when the holder and all waiters before it leave together', async () => {
      // Neither a poll nor the end of a lease is near.
      const { locks, runtime } = await world.open({ safetyPoll: '60s' });
      const { fairLock } = runtime.backend;
      const owners = [1, 2, 3].map((n) => `${NODE}:${n}`);
      const request = { name: 'n', lease: 60_000, slot: 60_000 };
      for (const owner of owners) await fairLock.queue({ ...request, owner });
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 3);
      await world.time.until(async () => (await world.probe.channels()).length === 1, 1000);
      await world.time.pass(50);
      await fairLock.leave({ ...request, owners: [...owners, `${NODE}:4`] });
      const got = await world.time.finish(waiting, 500 + world.time.slack);
      await expect(world.probe.queue('n')).resolves.toEqual([]);
      await expect(got.release()).resolves.toBe('released');
    });

    it('is woken by the first request that removes the dead waiter before it', async () => {
      // No poll is near, so a message or the heartbeat of its own place must wake it.
      const options = { fairWaitTimeout: SLOT, safetyPoll: '60s' } as const;
      const [one, other] = [await world.open(options), await world.open(options)];
      const hold = await one.locks.getFairLock('n').acquire();
      await world.probe.enqueue('n', { owner: `${NODE}:1`, keptFor: SLOT });
      const first = one.locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 2);
      const second = other.locks.getFairLock('n').acquire({ wait: Infinity });
      await queued(world, 3);
      await hold.release();
      const got = await world.time.finish(first, SLOT + SLOT / 3 + world.time.slack);
      await expect(world.probe.queue('n')).resolves.toHaveLength(1);
      await got.release();
      await world.time.finish(second, 500 + world.time.slack);
    });
  });
});
