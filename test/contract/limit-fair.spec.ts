import { LockConflictError, LockOptionsError, LockTimeoutError } from '../../lib/standalone.js';
import { fairChannel, limitPermits } from '../../lib/keys/redisson-keys.js';
import type { Client } from '../kit/client.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { A1, B7 } from './vectors/vector.js';

/** How long a place is kept without a sign of life, ms. */
const SLOT = 600;
const KEY = limitPermits('n');

/** A caller that has a permit until it is told to end. */
interface Inside {
  readonly leave: () => Promise<void>;
}

/** Starts a caller, and resolves when it has a permit. */
const enter = ({ locks }: Client, limit: number, options = {}): Promise<Inside> =>
  new Promise((resolve, reject) => {
    let open = (): void => {};
    const work: Promise<void> = locks.withLock('n', { limit, ...options }, () => {
      const leave = (): Promise<void> => {
        open();
        return work;
      };
      resolve({ leave });
      return new Promise<void>((end) => (open = end));
    });
    work.catch(reject);
  });

onEveryBackend((world) => {
  /** The number of places that were given. */
  let places = 0;
  beforeEach(() => (places = 0));

  const open = async (): Promise<Client> => {
    const client = await world.open({ fairWaitTimeout: SLOT });
    const { limit } = client.runtime.backend;
    const queue = limit.queue.bind(limit);
    limit.queue = async (request) => {
      const reply = await queue(request);
      if (reply.outcome === 'queued') places += 1;
      return reply;
    };
    return client;
  };

  /** Starts a waiter, and resolves when it has a place. */
  const line = async (client: Client, limit: number, options = {}): Promise<{ readonly waiting: Promise<Inside> }> => {
    const before = places;
    const waiting = enter(client, limit, { wait: Infinity, fair: true, ...options });
    // Its end is asserted later.
    waiting.catch(() => {});
    await world.time.until(() => places > before, 3000);
    return { waiting };
  };

  describe('A fair limit', () => {
    it('gives permits to waiters of all clients in the order in which they began to wait', async () => {
      const clients = [await open(), await open(), await open()];
      const [first, second] = clients;
      if (!first || !second) throw new Error('three were opened');
      const inside = [await enter(first, 2, { fair: true }), await enter(second, 2, { fair: true })];
      const order: number[] = [];
      const ends: Promise<unknown>[] = [];
      for (const [place, client] of [0, 1, 0, 2, 2, 1].entries()) {
        const { waiting } = await line(clients[client] ?? first, 2);
        ends.push(waiting.then(({ leave }) => (order.push(place), leave())));
      }
      await inside[0]?.leave();
      await world.time.finish(Promise.all(ends), 10_000);
      expect(order).toEqual([0, 1, 2, 3, 4, 5]);
      await inside[1]?.leave();
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('is not held up by a waiter that gave up, and for no longer than a slot by waiters that died', async () => {
      const [one, gone, alive] = [await open(), await open(), await open()];
      const inside = await enter(one, 1);
      const stop = new AbortController();
      const aborted = await line(one, 1, { signal: stop.signal });
      const dead = [await line(gone, 1), await line(gone, 1)];
      const { waiting } = await line(alive, 1);
      stop.abort();
      await expect(aborted.waiting).rejects.toThrow('aborted');
      await gone.close();
      await Promise.allSettled(dead.map((each) => each.waiting));
      await inside.leave();
      const next = await world.time.finish(waiting, 2 * SLOT + world.time.slack);
      await next.leave();
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('keeps callers without an order and callers that do not wait behind the waiters', async () => {
      const [one, two] = [await open(), await open()];
      const inside = [await enter(one, 2), await enter(one, 2)];
      const first = await line(two, 1);
      await inside[0]?.leave();
      // One permit is free, and the waiter at the head wants to be alone.
      const refused = one.locks.withLock('n', { limit: 2, wait: 0 }, () => {});
      await expect(refused).rejects.toThrow(LockConflictError);
      await expect(refused).rejects.toThrow('reserved for the first in its queue');
      await expect(one.locks.withLock('n', { limit: 2, wait: 0, fair: true }, () => {})).rejects.toThrow(
        LockConflictError,
      );
      const unordered = enter(one, 2, { wait: Infinity });
      const progress = track(unordered);
      await world.time.pass(2 * SLOT);
      expect(progress.settled).toBe(false);
      await inside[1]?.leave();
      const next = await world.time.finish(first.waiting, SLOT + world.time.slack);
      await next.leave();
      await (await world.time.finish(unordered, SLOT + world.time.slack)).leave();
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('tells a waiter whose wait is over how many permits are in use', async () => {
      const [one, two] = [await open(), await open()];
      const inside = await enter(one, 1);
      const late = two.locks.withLock('n', { limit: 1, wait: 100, fair: true }, () => {});
      await expect(world.time.finish(late, 500 + world.time.slack)).rejects.toThrow(LockTimeoutError);
      await expect(late).rejects.toMatchObject({
        message: expect.stringContaining('Limit "n" is still reached (1 permits in use, 1 allowed)'),
        details: { inUse: 1, limit: 1 },
      });
      await inside.leave();
      await world.time.until(async () => (await world.probe.names()).length === 0, 1000);
    });

    it('reports callers with other limits, and serves them in their turn', async () => {
      const [one, two] = [await open(), await open()];
      const inside = await enter(one, 1);
      const { waiting: same } = await line(one, 1);
      const { waiting: larger } = await line(two, 3);
      const progress = track(larger);
      await world.time.pass(SLOT);
      expect(progress.settled).toBe(false);
      await inside.leave();
      const both = await world.time.finish(Promise.all([same, larger]), SLOT + world.time.slack);
      expect(two.events).toEqual([{ type: 'limits-differ', lockName: 'n', limit: 3, other: 1 }]);
      await Promise.all(both.map(({ leave }) => leave()));
    });

    it.each(['yes', 1, null])('is refused before anything is sent if fair is %p', async (fair) => {
      const { locks } = await world.open();
      const before = await world.probe.commands();
      const refused = locks.withLock('n', { limit: 3, fair } as never, () => 'never');
      await expect(refused).rejects.toThrow(LockOptionsError);
      await expect(refused).rejects.toMatchObject({ details: { option: 'fair', value: fair } });
      await expect(world.probe.commands()).resolves.toBe(before);
    });
  });

  describe('The queue of a limit', () => {
    const wanted = (owner: string) => ({ name: 'n', owner, lease: 30_000, slot: SLOT, limit: 1 });

    it('gives an owner one place or one permit, however often it asks', async () => {
      const { limit } = (await world.open()).runtime.backend;
      for (let round = 0; round < 2; round++) {
        await expect(limit.queue(wanted(A1))).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 1 } });
      }
      const outcomes = [await limit.queue(wanted(B7)), await limit.queue(wanted(B7))];
      expect(outcomes).toMatchObject([
        { outcome: 'queued', holder: A1, head: B7 },
        { outcome: 'waiting', holder: A1, head: B7 },
      ]);
      await limit.leave({ ...wanted(A1), owners: [A1] });
      await limit.leave({ ...wanted(A1), owners: [A1] });
      await expect(limit.queue(wanted(B7))).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 1 } });
      await limit.leave({ ...wanted(A1), owners: [A1, B7] });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('keeps places that are renewed, and gives none to others', async () => {
      const { limit } = (await world.open()).runtime.backend;
      await limit.queue(wanted(A1));
      await limit.queue(wanted(B7));
      for (let round = 0; round < 4; round++) {
        await world.time.pass(SLOT / 2);
        await expect(limit.keep({ ...wanted(A1), owners: [B7, A1] })).resolves.toEqual([true, false]);
      }
      await world.time.pass(SLOT + 10);
      await expect(limit.keep({ ...wanted(A1), owners: [B7] })).resolves.toEqual([false]);
    });

    it('tells the next waiter when one was admitted or has died, and more permits are free', async () => {
      const { limit, pubSub } = (await world.open()).runtime.backend;
      const next = `${B7}7`;
      let told = 0;
      await pubSub.subscribe(fairChannel('n', next), () => (told += 1));
      const two = (owner: string) => ({ ...wanted(owner), limit: 2 });
      for (const owner of [A1, `${A1}1`, B7, next]) await limit.queue(two(owner));
      // Tells the head, which is B7.
      for (const owner of [A1, `${A1}1`]) await limit.release(wanted(owner));
      await expect(limit.queue(two(B7))).resolves.toMatchObject({ outcome: 'acquired', use: { inUse: 1 } });
      await world.time.until(() => told === 1, 1000);
      await limit.leave({ ...wanted(next), owners: [next] });
      for (const owner of [A1, `${A1}1`]) await limit.queue(two(owner));
      await limit.queue({ ...two(next), slot: 60_000 });
      await world.time.pass(SLOT + 10);
      await expect(limit.keep({ ...wanted(next), owners: [next] })).resolves.toEqual([true]);
      await world.time.until(() => told === 2, 1000);
    });

    it('keeps its places when all permits are released by force', async () => {
      const { limit } = (await world.open()).runtime.backend;
      await limit.queue(wanted(A1));
      await limit.queue(wanted(B7));
      await expect(limit.forceRelease({ name: 'n' })).resolves.toBe(true);
      await expect(limit.acquire(wanted(A1))).resolves.toMatchObject({ outcome: 'reserved', next: B7 });
      await expect(limit.queue(wanted(B7))).resolves.toMatchObject({ outcome: 'acquired' });
      await limit.release(wanted(B7));
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });
});

const redis = new RedisWorld();

inWorld(redis, () => {
  describe('The queue of a limit on a server', () => {
    it('tells its head nothing when a waiter behind it leaves', async () => {
      const { limit, pubSub } = (await redis.open()).runtime.backend;
      const wanted = { name: 'n', owner: A1, lease: 30_000, slot: SLOT, limit: 1 };
      const [head, behind] = [B7, `${B7}7`];
      const told: (string | undefined)[] = [];
      await pubSub.subscribe(fairChannel('n', head), (message) => void told.push(message));
      told.length = 0;
      for (const owner of [A1, head, behind]) await limit.queue({ ...wanted, owner });
      await limit.leave({ ...wanted, owners: [behind] });
      await redis.admin.publish(fairChannel('n', head), 'the end of the test');
      await redis.time.until(() => told.length > 0, 1000);
      expect(told).toEqual(['the end of the test']);
    });

    it('always has a time to live, and leaves foreign keys alone', async () => {
      const { limit } = (await redis.open()).runtime.backend;
      const wanted = { name: 'n', owner: A1, lease: 30_000, slot: SLOT, limit: 1 };
      await limit.queue(wanted);
      await limit.queue({ ...wanted, owner: B7, slot: 60_000 });
      expect(await redis.admin.pttl(KEY)).toBeGreaterThan(30_000);
      await redis.admin.set(KEY, 'theirs');
      await expect(limit.queue(wanted)).rejects.toMatchObject({ code: 'LOCK_KEY_TYPE' });
      await expect(limit.keep({ ...wanted, owners: [B7] })).resolves.toEqual([false]);
      await limit.leave({ ...wanted, owners: [A1, B7] });
      await expect(redis.admin.get(KEY)).resolves.toBe('theirs');
    });
  });
});
