import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  LockConflictError,
  LockOptionsError,
  LockTimeoutError,
  type Lock,
  type LockService,
} from '../../lib/standalone.js';
import type { HolderRecord } from '../../lib/advanced.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { caught } from '../kit/caught.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { RedisWorld } from '../kit/redis-world.js';
import type { World } from '../kit/world.js';

const KINDS: readonly (readonly [string, (locks: LockService) => Lock])[] = [
  ['plain', (locks) => locks.getLock('n')],
  ['fair', (locks) => locks.getFairLock('n')],
  ['fenced', (locks) => locks.getFencedLock('n')],
  ['spin', (locks) => locks.getSpinLock('n')],
  ['read', (locks) => locks.getReadWriteLock('n').readLock()],
  ['write', (locks) => locks.getReadWriteLock('n').writeLock()],
  ['group', (locks) => locks.getGroupLock('n', ['v1', 'v2'])],
];

/** Resolves when no record is left. */
const unrecorded = (world: World): Promise<number> =>
  world.time.until(async () => !(await world.probe.names()).some((name) => name.includes(':holder:')), 5000);

/** Resolves with the record that is wanted as soon as it is there: it is written only after a while. */
const recordOf = async (
  { time }: World,
  lock: Lock,
  isWanted = (_record: HolderRecord): boolean => true,
): Promise<HolderRecord> => {
  let record: HolderRecord | undefined;
  await time.until(async () => {
    record = (await lock.inspect()).holders[0]?.record;
    return record !== undefined && isWanted(record);
  }, 5000);
  if (!record) throw new Error('There is no record');
  return record;
};

onEveryBackend((world) => {
  describe('The record of a holder', () => {
    it.each(KINDS)('tells who holds a %s lock until it is released', async (_, lockOf) => {
      const [client, other] = [
        await world.open({ holderRecords: { service: 'shop', traceId: () => 'trace-1' } }),
        await world.open(),
      ];
      const before = Date.now();
      const hold = await lockOf(client.locks).acquire();
      const record = await recordOf(world, lockOf(other.locks));
      expect(record).toEqual({
        host: hostname(),
        pid: process.pid,
        service: 'shop',
        traceId: 'trace-1',
        since: expect.any(Number),
      });
      expect(record.since).toBeGreaterThanOrEqual(before);
      expect(record.since).toBeLessThanOrEqual(Date.now());
      await hold.release();
      await unrecorded(world);
      await expect(world.probe.names()).resolves.toEqual(
        (await world.probe.names()).filter((name) => name.startsWith('redisson_lock_token')),
      );
    });

    it.each(KINDS)('D66: stays while a %s lock is kept for holdAtLeast, as that of a tick is', async (kind, lockOf) => {
      const client = await world.open({ holderRecords: { service: 'shop' } });
      const before = Date.now();
      await lockOf(client.locks).withLock({ holdAtLeast: '30s' }, () => undefined);
      // Commands of one client come in order: this one after those that end the hold.
      const { state, holders } = await lockOf(client.locks).inspect();
      expect(state).toBe('held');
      const [record] = holders.map((holder) => holder.record);
      expect(record).toMatchObject({ host: hostname(), pid: process.pid, service: 'shop' });
      expect(record?.keptUntil).toBeGreaterThan(before + 29_000);
      expect(record?.keptUntil).toBeLessThanOrEqual(Date.now() + 30_000);
      // A reader refuses only writers.
      const refused = kind === 'read' ? client.locks.getReadWriteLock('n').writeLock() : lockOf(client.locks);
      const error = await caught(refused.acquire({ wait: 0 }), LockConflictError);
      expect(error.message).toMatch(/, has ended its work, and keeps it until [-\d]+T[:.\d]+Z$/);
      await lockOf(client.locks).forceRelease();
    });

    it.each(KINDS)('is in the error of a caller that is refused a %s lock', async (kind, lockOf) => {
      const options = { holderRecords: { service: 'shop', traceId: () => 'trace-1' } };
      const [client, other] = [await world.open(options), await world.open(options)];
      // A reader refuses only writers.
      const [holding, refused] =
        kind === 'read' ? [lockOf, (locks: LockService) => locks.getReadWriteLock('n').writeLock()] : [lockOf, lockOf];
      const hold = await holding(client.locks).acquire();
      const record = await recordOf(world, holding(other.locks));
      const error = await caught(refused(other.locks).acquire({ wait: 0 }), LockConflictError);
      expect(error.details).toMatchObject({ holder: hold.owner, record });
      const since = new Date(record.since).toISOString();
      const text = `. shop on ${hostname()}, process ${process.pid}, has held it since ${since}, trace trace-1`;
      expect(error.message).toContain(text);
      await expect(refused(other.locks).tryAcquire()).resolves.toBeNull();
      let late: LockTimeoutError | undefined;
      const waiting = caught(refused(other.locks).acquire({ wait: 1500 }), LockTimeoutError).then((refusal) => {
        late = refusal;
      });
      await world.time.until(() => late !== undefined, 5000);
      await waiting;
      expect(late?.message).toContain(text);
      await hold.release();
    });

    it('is in the error of a caller that is refused a permit of a limit', async () => {
      const { locks } = await world.open({ holderRecords: { service: 'shop' } });
      await locks.withLock('n', { limit: 1 }, async () => {
        await world.time.until(async () => {
          let isThere = false;
          for await (const { holders } of locks.list('n')) isThere = holders[0]?.record !== undefined;
          return isThere;
        }, 5000);
        const other = locks.runInScope(() => locks.withLock('n', { limit: 1, wait: 0 }, () => {}));
        expect((await caught(other, LockConflictError)).details).toMatchObject({ record: { service: 'shop' } });
      });
      await unrecorded(world);
    });

    it.each(KINDS)('of a %s lock is written once it has been held for 100 ms', async (_, lockOf) => {
      const { locks } = await world.open({ holderRecords: true });
      const recorded = async (): Promise<boolean> => {
        // Commands of one client come in order: this one after a record.
        await lockOf(locks).isLocked();
        return (await world.probe.names()).some((name) => name.includes(':holder:'));
      };
      const before = await world.probe.commands();
      await lockOf(locks).withLock(() => {});
      const sent = (await world.probe.commands()) - before;
      const plain = await world.open();
      const since = await world.probe.commands();
      await lockOf(plain.locks).withLock(() => {});
      expect(sent).toBe((await world.probe.commands()) - since);
      const hold = await lockOf(locks).acquire();
      await world.time.pass(50);
      // By the server's clock that may have been longer.
      expect(world.name === 'memory' && (await recorded())).toBe(false);
      await world.time.pass(55);
      await world.time.until(recorded, 5000);
      await hold.release();
      await unrecorded(world);
    });

    it('is not kept unless it is asked for', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      await lock.acquire();
      const { holders } = await lock.inspect();
      expect(holders[0]).not.toHaveProperty('record');
      await expect(world.probe.names()).resolves.toEqual(['n']);
    });

    it('has the name of the package if there is no other', async () => {
      const { locks } = await world.open({ holderRecords: true });
      const lock = locks.getLock('n');
      await lock.acquire();
      await expect(recordOf(world, lock)).resolves.toMatchObject({ service: 'nest-redis-lock' });
    });

    it('lasts as long as the watchdog renews the lock, and no longer', async () => {
      const client = await world.open({ holderRecords: true, renewedLease: 3000 });
      const lock = client.locks.getLock('n');
      const { owner } = await lock.acquire();
      await recordOf(world, lock);
      await world.renewed(...(await world.probe.names()));
      await expect(recordOf(world, lock)).resolves.toMatchObject({ pid: process.pid });
      await client.close();
      await world.time.until(async () => (await world.probe.names()).length === 0, 5000);
      expect(owner).toContain(client.runtime.owners.clientId);
    });

    it('ends with a lease, and is extended with it', async () => {
      const { locks } = await world.open({ holderRecords: true });
      const lock = locks.getLock('n');
      const hold = await lock.acquire({ lease: 500 });
      await hold.extend('60s');
      await world.time.pass(700);
      await expect(recordOf(world, lock)).resolves.toMatchObject({ pid: process.pid });
    });

    it('passes with the lock to a waiter of the same process, with the trace of its caller', async () => {
      const traces = new AsyncLocalStorage<string>();
      const { locks } = await world.open({ holderRecords: { traceId: () => traces.getStore() } });
      const lock = locks.getLock('n');
      const hold = await traces.run('first', () => lock.acquire());
      await expect(recordOf(world, lock)).resolves.toMatchObject({ traceId: 'first' });
      const waiting = traces.run('second', () => lock.acquire({ wait: '20s' }));
      await traces.run('first', () => hold.release());
      const next = await world.time.finish(waiting, 20_000);
      const isSecond = ({ traceId }: HolderRecord): boolean => traceId === 'second';
      await expect(recordOf(world, lock, isSecond)).resolves.toMatchObject({ pid: process.pid });
      await next.release();
      await unrecorded(world);
    });

    it('stays with a writer that has stopped reading', async () => {
      const { locks } = await world.open({ holderRecords: true });
      const lock = locks.getReadWriteLock('n');
      await lock.writeLock().withLock(async () => {
        await lock.readLock().withLock(() => {});
        await expect(recordOf(world, lock.writeLock())).resolves.toMatchObject({ pid: process.pid });
      });
      await unrecorded(world);
    });

    it('goes on without a trace if that cannot be told', async () => {
      const broken = new Error('no tracer');
      const client = await world.open({
        holderRecords: {
          traceId: () => {
            throw broken;
          },
        },
      });
      const lock = client.locks.getLock('n');
      await lock.acquire();
      expect(await recordOf(world, lock)).not.toHaveProperty('traceId');
      expect(client.events).toMatchObject([{ type: 'unexpected', error: broken }]);
      client.events.length = 0;
    });
  });
});

describe('The option holderRecords', () => {
  it.each([
    ['a text', 'yes'],
    ['null', null],
    ['an unknown option', { host: 'h' }],
    ['a service that is no text', { service: 7 }],
    ['an empty service', { service: '' }],
    ['a trace id that is no function', { traceId: 'id' }],
  ])('refuses %s', (_, holderRecords) => {
    expect(() => parseModuleOptions({ holderRecords: holderRecords as never })).toThrow(LockOptionsError);
  });
});

const memory = new MemoryWorld();
inWorld(memory, () => {
  it('The record of a holder is written no sooner because that of another one is due', async () => {
    const { locks } = await memory.open({ holderRecords: true });
    const recorded = async (): Promise<readonly string[]> =>
      (await memory.probe.names()).filter((name) => name.includes(':holder:')).map((name) => name.slice(0, 3));
    await locks.acquire('a');
    await memory.time.pass(60);
    await locks.acquire('b');
    await memory.time.pass(50);
    expect(await recorded()).toEqual(['{a}']);
    await memory.time.pass(60);
    expect(await recorded()).toEqual(['{a}', '{b}']);
  });

  it('The record of a holder is written at once for one that gets the hold of another from the same process', async () => {
    const traces = new AsyncLocalStorage<string>();
    const options = { holderRecords: { traceId: () => traces.getStore() }, handover: { ms: 1000 } };
    const { locks } = await memory.open(options);
    const lock = locks.getLock('n');
    const hold = await traces.run('first', () => lock.acquire());
    await expect(recordOf(memory, lock)).resolves.toMatchObject({ traceId: 'first' });
    const waiting = traces.run('second', () => lock.acquire({ wait: '20s' }));
    await memory.time.pass(10);
    await hold.release();
    const next = await waiting;
    expect(next.owner).toBe(hold.owner);
    // Commands of one client come in order: this one after the record.
    expect((await lock.inspect()).holders).toMatchObject([{ owner: next.owner, record: { traceId: 'second' } }]);
    await next.release();
    await unrecorded(memory);
  });
});

const redis = new RedisWorld();
inWorld(redis, () => {
  describe('The record of a holder', () => {
    it('is ignored if it is not understood', async () => {
      const { locks } = await redis.open({ holderRecords: true });
      const lock = locks.getLock('n');
      const { owner } = await lock.acquire();
      await recordOf(redis, lock);
      for (const text of ['{', '[]', '"x"', '{"host":7}', 'null']) {
        await redis.admin.set(`{n}:holder:${owner}`, text);
        const { holders } = await lock.inspect();
        expect(holders).toMatchObject([{ owner }]);
        expect(holders[0]).not.toHaveProperty('record');
      }
      await redis.admin.del(`{n}:holder:${owner}`);
      await redis.admin.rpush(`{n}:holder:${owner}`, 'x');
      expect((await lock.inspect()).holders).toMatchObject([{ owner }]);
      await redis.admin.del(`{n}:holder:${owner}`);
    });

    it('lies in the slot of the lock, and ends with its lease', async () => {
      const { locks } = await redis.open({ holderRecords: true });
      const { owner } = await locks.getLock('a{b}c').acquire({ lease: '20s' });
      const key = `a{b}c::holder:${owner}`;
      await redis.time.until(async () => (await redis.admin.exists(key)) === 1, 5000);
      const [record, lock] = [await redis.admin.pttl(key), await redis.admin.pttl('a{b}c')];
      expect(record).toBeGreaterThan(0);
      expect(record).toBeLessThanOrEqual(lock + 1000);
    });
  });
});
