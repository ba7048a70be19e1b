import { until } from '../kit/until.js';
import { LockOwnershipError, LockKeyTypeError } from '../../lib/standalone.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { RedisWorld } from '../kit/redis-world.js';
import { crowd } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';
import { lockToken } from '../../lib/keys/redisson-keys.js';

/** A resource that refuses writes with an older fence. */
class Resource {
  written: string[] = [];
  private highest = 0n;

  write(what: string, fence: bigint): boolean {
    if (fence < this.highest) return false;
    this.highest = fence;
    this.written.push(what);
    return true;
  }
}

const isRising = (tokens: readonly bigint[]): boolean =>
  tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? token));

/** Rows FE of the behaviour catalogue. */
onEveryBackend((world) => {
  describe('A fenced lock', () => {
    it('FE-01 counts its grants from 1 where it counts', async () => {
      const { locks } = await world.open({ fencing: 'counter' });
      const lock = locks.getFencedLock('n');
      const tokens: bigint[] = [];
      for (const options of [{}, {}, {}, { lease: '10s' }] as const) {
        const hold = await lock.acquire(options);
        tokens.push(hold.fence);
        await expect(lock.currentToken()).resolves.toBe(hold.fence);
        await hold.release();
      }
      const tried = await lock.tryAcquire();
      expect([...tokens, tried?.fence]).toEqual([1n, 2n, 3n, 4n, 5n]);
    });

    it('FE-01 gives rising tokens by the clock', async () => {
      const { locks } = await world.open();
      const lock = locks.getFencedLock('n');
      const tokens: bigint[] = [];
      for (let round = 0; round < 20; round++) await lock.withLock(({ fence }) => void tokens.push(fence));
      expect(isRising(tokens)).toBe(true);
    });

    it('FE-02 returns the last token to any caller, also after the release, and acquires nothing', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getFencedLock('n');
      await expect(lock.currentToken()).resolves.toBe(0n);
      await expect(lock.isLocked()).resolves.toBe(false);
      const hold = await a.run(() => lock.acquire());
      await expect(b.run(() => lock.currentToken())).resolves.toBe(hold.fence);
      await expect(b.run(() => lock.tryAcquire())).resolves.toBeNull();
      await expect(b.run(() => lock.currentToken())).resolves.toBe(hold.fence);
      await hold.release();
      await expect(b.run(() => lock.currentToken())).resolves.toBe(hold.fence);
    });

    it('FE-03 keeps the token of its owner when that re-enters, by a plain lock as well', async () => {
      const { locks } = await world.open();
      const lock = locks.getFencedLock('n');
      await lock.withLock(async (outer) => {
        await expect(lock.withLock(({ fence }) => fence)).resolves.toBe(outer.fence);
        await expect(locks.withLock('n', ({ fence }) => fence)).resolves.toBe(outer.fence);
        expect(locks.currentHold('n')?.fence).toBe(outer.fence);
      });
    });

    it('refuses to re-enter a hold without a token, with the remedy', async () => {
      const { locks } = await world.open();
      const lock = locks.getFencedLock('n');
      await locks.withLock('n', async ({ owner, fence }) => {
        expect(fence).toBeUndefined();
        await expect(lock.acquire()).rejects.toThrow('acquire it with getFencedLock() in the outer call');
        await expect(lock.tryAcquire()).rejects.toThrow(LockOwnershipError);
        await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [owner]: 1 } });
      });
      await expect(lock.currentToken()).resolves.toBe(0n);
    });

    it('FE-04 gives rising tokens to many owners, each once', async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, () => world.open({ wait: Infinity })));
      const log: bigint[] = [];
      const rounds = clients.map(({ locks }) =>
        crowd(1, 25, () => locks.getFencedLock('n').withLock(({ fence }) => void log.push(fence))),
      );
      await world.time.finish(Promise.all(rounds), 30_000);
      expect(log).toHaveLength(200);
      expect(isRising(log)).toBe(true);
    });

    it.each(['clock', 'counter'] as const)('FE-05 keeps a paused holder from writing (%s)', async (fencing) => {
      const { locks } = await world.open({ fencing });
      const lock = locks.getFencedLock('stock');
      const resource = new Resource();
      const paused = await lock.acquire({ lease: 300 });
      expect(resource.write('a', paused.fence)).toBe(true);
      const next = await world.time.finish(lock.acquire({ wait: Infinity }), 2000);
      expect(next.fence).toBeGreaterThan(paused.fence);
      expect(resource.write('b', next.fence)).toBe(true);
      expect(resource.write('a, too late', paused.fence)).toBe(false);
      expect(resource.write('b again', next.fence)).toBe(true);
      expect(resource.written).toEqual(['a', 'b', 'b again']);
    });

    it('FE-06 gives waiters their tokens in the order in which they acquire', async () => {
      const { locks } = await world.open({ fencing: 'counter' });
      const lock = locks.getFencedLock('n');
      const holder = await lock.acquire();
      const tokens: bigint[] = [];
      const waiters = [1, 2].map(async () => {
        const hold = await lock.acquire({ wait: Infinity });
        tokens.push(hold.fence);
        await hold.release();
      });
      await world.time.pass(50);
      await holder.release();
      await world.time.finish(Promise.all(waiters), 2000);
      expect([holder.fence, ...tokens]).toEqual([1n, 2n, 3n]);
    });

    it('FE-07 goes to a waiter of another client at the release, long before the lease ends', async () => {
      const [one, two] = [await world.open(), await world.open()];
      const hold = await one.locks.getFencedLock('n').acquire({ lease: '1m' });
      const waiting = two.locks.getFencedLock('n').acquire({ wait: Infinity });
      const progress = track(waiting);
      await world.time.pass(200);
      expect(progress.settled).toBe(false);
      await hold.release();
      const next = await world.time.finish(waiting, 500 + world.time.slack);
      expect(next.fence).toBeGreaterThan(hold.fence);
    });

    it('takes no token while held, and loses none by release, expiry or force', async () => {
      const { locks } = await world.open({ fencing: 'counter' });
      const lock = locks.getFencedLock('n');
      await (await lock.acquire()).release();
      await lock.acquire({ lease: 600 });
      await expect(lock.tryAcquire()).resolves.toBeNull();
      await world.time.pass(650);
      await lock.acquire();
      await expect(lock.forceRelease()).resolves.toBe(true);
      await expect(lock.currentToken()).resolves.toBe(3n);
    });

    it('gives a repeated acquisition the same token', async () => {
      const { fencedLock } = (await world.open()).runtime.backend;
      const request = { name: 'n', owner: 'o:1', lease: 5000 };
      const first = await fencedLock.acquire(request);
      await world.time.pass(5);
      const second = await fencedLock.acquire(request);
      expect(second).toMatchObject({ outcome: 'acquired', fence: 'fence' in first ? first.fence : 'none' });
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { 'o:1': 1 } });
    });

    it('refuses a foreign key in place of its token, and stays free', async () => {
      const { locks } = await world.open();
      await world.probe.put(lockToken('n'), 'somebody', 60_000);
      const lock = locks.getFencedLock('n');
      await expect(lock.acquire()).rejects.toThrow(LockKeyTypeError);
      await expect(lock.currentToken()).rejects.toThrow(LockKeyTypeError);
      await expect(lock.isLocked()).resolves.toBe(false);
    });
  });
});

/** Milliseconds for which a token of the clock is kept after the lease. */
const WEEK = 7 * 24 * 3600 * 1000;

const redis = new RedisWorld();

inWorld(redis, () => {
  const TOKEN = 'redisson_lock_token:{n}';

  describe('Fencing tokens on a server', () => {
    it('E01 are its time in microseconds, under the key of a peer, kept for a week after the lease', async () => {
      const { locks } = await redis.open();
      const microseconds = async (): Promise<bigint> => {
        const [seconds = 0, micros = 0] = await redis.admin.time();
        return BigInt(seconds) * 1_000_000n + BigInt(micros);
      };
      const before = await microseconds();
      const { fence } = await locks.getFencedLock('n').acquire({ lease: '1m' });
      expect(fence).toBeGreaterThanOrEqual(before);
      expect(fence).toBeLessThanOrEqual(await microseconds());
      await expect(redis.admin.get(TOKEN)).resolves.toBe(String(fence));
      const kept = await redis.admin.pttl(TOKEN);
      expect(kept).toBeGreaterThan(WEEK);
      expect(kept).toBeLessThanOrEqual(WEEK + 60_000);
    });

    it('rise above one that was kept long enough', async () => {
      const { locks } = await redis.open();
      const lock = locks.getFencedLock('n');
      const before = await lock.withLock(({ fence }) => fence);
      await redis.admin.pexpire(TOKEN, 1);
      await until(async () => (await redis.admin.exists(TOKEN)) === 0, 1000, 'the token is forgotten');
      await expect(lock.currentToken()).resolves.toBe(0n);
      await expect(lock.withLock(({ fence }) => fence > before)).resolves.toBe(true);
    });

    it('E01 are kept for ever if they are counted, or ahead of the clock', async () => {
      const [clock, counter] = [await redis.open(), await redis.open({ fencing: 'counter' })];
      const kept = async (): Promise<number> => redis.admin.pttl(TOKEN);
      await clock.locks.getFencedLock('n').withLock(() => {});
      expect(await kept()).toBeGreaterThan(WEEK);
      await counter.locks.getFencedLock('n').withLock(() => {});
      expect(await kept()).toBe(-1);
      await redis.admin.set(TOKEN, '9000000000000000', 'PX', WEEK);
      await clock.locks.getFencedLock('n').withLock(() => {});
      expect(await kept()).toBe(-1);
    });

    it('are counted on by a peer, and continue above its count', async () => {
      const { locks } = await redis.open();
      const lock = locks.getFencedLock('n');
      const first = await lock.withLock(({ fence }) => fence);
      await expect(redis.admin.incr(TOKEN)).resolves.toBe(Number(first) + 1);
      const ahead = first + 3_600_000_000n;
      await redis.admin.set(TOKEN, String(ahead));
      await expect(lock.withLock(({ fence }) => fence)).resolves.toBe(ahead + 1n);
    });

    it.each(['clock', 'counter'] as const)('are exact past 2^53 (%s)', async (fencing) => {
      const { locks } = await redis.open({ fencing });
      const lock = locks.getFencedLock('n');
      await redis.admin.set(TOKEN, '9007199254740993');
      await expect(lock.withLock(({ fence }) => fence)).resolves.toBe(9007199254740994n);
      await expect(lock.withLock(({ fence }) => fence)).resolves.toBe(9007199254740995n);
      await redis.admin.set(TOKEN, '9223372036854775806');
      await expect(lock.withLock(({ fence }) => fence)).resolves.toBe(9223372036854775807n);
    });

    it.each(['rubbish', '', '-5', '007', '1.5', '1e3', '9223372036854775807', '10000000000000000000'])(
      'are not made from %p, and the lock is not taken',
      async (value) => {
        const { locks } = await redis.open();
        const lock = locks.getFencedLock('n');
        await redis.admin.set(TOKEN, value);
        const foreign = { code: 'LOCK_KEY_TYPE', lockName: TOKEN };
        await expect(lock.acquire()).rejects.toMatchObject(foreign);
        await expect(lock.currentToken()).rejects.toMatchObject(foreign);
        await expect(redis.admin.exists('n')).resolves.toBe(0);
        await expect(redis.admin.get(TOKEN)).resolves.toBe(value);
      },
    );

    it('are given again to an owner whose token was deleted, above the old one', async () => {
      const { fencedLock } = (await redis.open()).runtime.backend;
      const request = { name: 'n', owner: 'o:1', lease: 5000 };
      const first = await fencedLock.acquire(request);
      await redis.admin.del(TOKEN);
      const second = await fencedLock.acquire(request);
      if (first.outcome !== 'acquired' || second.outcome !== 'acquired') throw new Error('Both are its own');
      expect(second.fence).toBeGreaterThan(first.fence ?? 0n);
    });
  });
});
