import type { Redis } from 'ioredis';
import type { LockService } from '../../lib/index.js';
import type { InspectedLock } from '../../lib/advanced.js';
import { RedisWorld } from '../kit/redis-world.js';
import { inWorld } from '../kit/every-backend.js';

const world = new RedisWorld();

/** Everything that can be inspected by a name. */
const INSPECTIONS: Readonly<Record<string, (locks: LockService) => Promise<InspectedLock>>> = {
  plain: (locks) => locks.getLock('n').inspect(),
  fair: (locks) => locks.getFairLock('n').inspect(),
  read: (locks) => locks.getReadWriteLock('n').readLock().inspect(),
  write: (locks) => locks.getReadWriteLock('n').writeLock().inspect(),
  group: (locks) => locks.getGroupLock('n', ['v']).inspect(),
  semaphore: (locks) => locks.getSemaphore('n').inspect(),
  permits: (locks) => locks.getPermitExpirableSemaphore('n').inspect(),
  latch: (locks) => locks.getCountDownLatch('n').inspect(),
};

/** Data of an application under the name of a lock, and what is said of it. */
const FOREIGN: readonly (readonly [string, (admin: Redis) => Promise<unknown>, string])[] = [
  ['a list', (admin) => admin.rpush('n', 'x'), 'the key is a list'],
  ['a set', (admin) => admin.sadd('n', 'x'), 'the key is a set'],
  ['a sorted set', (admin) => admin.zadd('n', 1, 'x'), 'the key is a zset'],
  ['a stream', (admin) => admin.xadd('n', '*', 'f', 'v'), 'the key is a stream'],
  ['a hash of an application', (admin) => admin.hset('n', { a: '1', b: '2' }), 'the key is a hash'],
  ['a hash with one field', (admin) => admin.hset('n', { a: '1' }), 'the key is a hash'],
];

const OWNER = '3a0ea6e1-0c9b-4b1e-9d9f-1f2f3f4f5f6f:1';

inWorld(world, () => {
  describe('An inspection', () => {
    it.each(
      FOREIGN.flatMap(([what, put, problem]) =>
        Object.keys(INSPECTIONS).map((kind) => [kind, what, put, problem] as const),
      ),
    )('of a %s tells that its name belongs to %s', async (kind, _, put, problem) => {
      const { locks } = await world.open();
      await put(world.admin);
      const inspected = await INSPECTIONS[kind]?.(locks);
      expect(inspected).toMatchObject({ state: 'foreign', holders: [], holderCount: 0 });
      expect(inspected?.problem).toContain(problem);
    });

    it('of a semaphore or latch tells that the text under its name is no count', async () => {
      const { locks } = await world.open();
      await world.admin.set('n', 'not a number');
      for (const kind of ['semaphore', 'permits', 'latch']) {
        await expect(INSPECTIONS[kind]?.(locks)).resolves.toMatchObject({
          state: 'foreign',
          problem: 'the key is a string that is not a count',
        });
      }
    });

    it('of a lock of another kind tells whose name it is, and who holds it', async () => {
      const { locks } = await world.open();
      const hold = await locks.getReadWriteLock('n').writeLock().acquire();
      await expect(locks.getLock('n').inspect()).resolves.toMatchObject({
        state: 'foreign',
        holders: [{ owner: hold.owner, mode: 'write' }],
        problem: 'the name belongs to a read-write lock',
      });
    });

    it('tells a lock of Redisson with a strange count, and one without an end', async () => {
      const { locks } = await world.open();
      await world.admin.hset('n', OWNER, '3');
      await expect(locks.getLock('n').inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: OWNER, count: 3, remaining: -1, isThisProcess: false }],
      });
      await world.admin.hset('n', OWNER, 'three');
      await expect(locks.getLock('n').inspect()).resolves.toMatchObject({ state: 'foreign' });
    });

    it('tells no problem of a lock without keys beside it, nor of keys beside it that its user may not read', async () => {
      const { locks } = await world.open();
      const hold = await locks.getFencedLock('n').acquire();
      const inspect = () => locks.getFencedLock('n').inspect();
      expect((await inspect()).problem).toBeUndefined();
      await world.admin.rpush('redisson_lock_queue:{n}', 'x');
      await world.admin.call('ACL', 'SETUSER', 'default', '-lrange', '-get');
      try {
        const { problem, state, holders } = await inspect();
        expect([problem, state, holders[0]?.owner]).toEqual([undefined, 'held', hold.owner]);
      } finally {
        await world.admin.call('ACL', 'SETUSER', 'default', '+lrange', '+get');
      }
    });

    it('tells of keys beside the lock that have another type, and of the lock all the same', async () => {
      const { locks } = await world.open();
      const hold = await locks.getLock('n').acquire();
      await world.admin.set('redisson_lock_queue:{n}', 'x');
      await world.admin.rpush('{n}:waiters', 'x');
      await world.admin.set('redisson_lock_token:{n}', 'x');
      await expect(locks.getLock('n').inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: hold.owner }],
        problem:
          'the key of the fencing token has no token; the key of the queue is a string; the key of the waiting clients is a list',
      });
    });

    it('tells of fields in a read-write lock that are no holders', async () => {
      const { locks } = await world.open();
      const hold = await locks.getReadWriteLock('n').readLock().acquire();
      await world.admin.hset('n', 'x', 'y');
      await expect(locks.getReadWriteLock('n').readLock().inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: hold.owner }],
        problem: '1 field(s) of the hash are no holders',
      });
    });

    it('tells the first thousand of many readers, and how many there are', async () => {
      const { locks } = await world.open();
      const owners = Array.from({ length: 4000 }, (_, at) => `${OWNER}${at}`);
      await world.admin.hset('n', { mode: 'read', ...Object.fromEntries(owners.map((owner) => [owner, '1'])) });
      const inspected = await locks.getReadWriteLock('n').readLock().inspect();
      expect(inspected.holderCount).toBe(4000);
      expect(inspected.holders.length).toBeGreaterThanOrEqual(999);
      expect(inspected.holders.length).toBeLessThanOrEqual(1000);
    });

    it('changes nothing', async () => {
      const { locks } = await world.open();
      await world.admin.hset('n', OWNER, '1');
      await world.admin.rpush('redisson_lock_queue:{n}', 'dead:1');
      await world.admin.zadd('redisson_lock_timeout:{n}', 1, 'dead:1');
      const dirty = async (): Promise<string | undefined> =>
        /rdb_changes_since_last_save:(\d+)/.exec(await world.admin.info('persistence'))?.[1];
      const changes = await dirty();
      await Promise.all(Object.values(INSPECTIONS).map((inspect) => inspect(locks)));
      for await (const { name } of locks.list()) expect(name).toBe('n');
      expect(await dirty()).toBe(changes);
    });
  });

  describe('A list', () => {
    it('passes over what is no lock', async () => {
      const { locks } = await world.open();
      await world.admin.hset('session:1', { user: '7', since: 'today' });
      await world.admin.hset('counter', { a: '1' });
      await world.admin.zadd('{ranking}:limit', 1, 'x');
      await world.admin.zadd('{ranking}:timeout', 1, 'x');
      await world.admin.zadd(':limit', 1, 'x');
      await world.admin.set('text', '1');
      const hold = await locks.getLock('n').acquire();
      const found: unknown[] = [];
      for await (const { name, holders } of locks.list()) found.push([name, holders[0]?.owner]);
      expect(found).toEqual([['n', hold.owner]]);
    });

    it('has locks of Redisson', async () => {
      const { locks } = await world.open();
      await world.admin.hset('n', OWNER, '1');
      await world.admin.hset('m', { mode: 'read', [OWNER]: '1' });
      const found: string[] = [];
      for await (const { name, kind } of locks.list()) found.push(`${name} ${kind}`);
      expect(found.toSorted()).toEqual(['m read', 'n reentrant']);
    });
  });
});
