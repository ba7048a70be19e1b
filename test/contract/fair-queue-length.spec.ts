import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { fairDeadlines, fairQueue } from '../../lib/keys/redisson-keys.js';

const redis = new RedisWorld();

const SLOT = 300_000;
const LEASE = 60_000;
/** The number of measurements of each cost. The server may be interrupted, but hardly every time. */
const TRIES = 12;
/** A command that reads the whole queue takes more than a hundred times as long with the long one. */
const SHORT = 10 + 4 * TRIES;
const LONG = 10_000;
const FACTOR = 10;

const owner = (n: number): string => `7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11:${n}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

type Work = (n: number) => Promise<unknown>;

/** Costs of fair locks on the server. The memory backend is left out: it describes behaviour, not speed. */
inWorld(redis, () => {
  /** Makes `count` owners of this library wait behind a holder. */
  const fill = async (fairLock: LockBackend['fairLock'], count: number): Promise<void> => {
    await redis.admin.flushall();
    await redis.probe.put('n', 'holder:1', LEASE);
    const owners = numbers(count).map(owner);
    await redis.admin.rpush(fairQueue('n'), ...owners);
    await redis.admin.zadd(fairDeadlines('n'), ...owners.flatMap((waiter) => [Date.now() + SLOT, waiter]));
    await fairLock.keep({ name: 'n', owners, slot: SLOT });
  };

  /** The server's time for the scripts of one call, µs, at best. */
  const cost = async (work: Work): Promise<number> => {
    const costs: number[] = [];
    for (const n of numbers(TRIES)) {
      await redis.admin.config('RESETSTAT');
      await work(n);
      const stats = await redis.admin.info('commandstats');
      const [, usec = ''] = /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats) ?? [];
      costs.push(Number(usec));
    }
    return Math.min(...costs);
  };

  const works = (fairLock: LockBackend['fairLock'], count: number): ReadonlyMap<string, Work> => {
    const request = (n: number) => ({ name: 'n', owner: owner(n), lease: LEASE, slot: SLOT });
    const middle = Math.floor(count / 2);
    return new Map<string, Work>([
      ['comes', (n) => fairLock.queue(request(count + n))],
      ['tries again', (n) => fairLock.queue(request(count + n))],
      ['is kept', (n) => fairLock.keep({ name: 'n', owners: [owner(n)], slot: SLOT })],
      ['leaves from the middle', (n) => fairLock.leave({ ...request(middle + n), owners: [owner(middle + n)] })],
      ['leaves as the head', (n) => fairLock.leave({ ...request(n), owners: [owner(n)] })],
      ['is refused a single try', (n) => fairLock.acquire(request(-1 - n))],
      [
        'has its turn',
        async (n) => {
          if (n === 0) await redis.probe.remove('n');
          await expect(fairLock.queue(request(TRIES + n))).resolves.toMatchObject({ outcome: 'acquired' });
          await fairLock.release(request(TRIES + n));
        },
      ],
    ]);
  };

  describe('The cost of a fair lock on the server', () => {
    it('FL-22 does not grow with the number of waiters', async () => {
      const { fairLock } = (await redis.open({ commandTimeout: '2s' })).runtime.backend;
      const measure = async (count: number): Promise<Map<string, number>> => {
        await fill(fairLock, count);
        const costs = new Map<string, number>();
        for (const [name, work] of works(fairLock, count)) costs.set(name, await cost(work));
        return costs;
      };
      // The first measurement includes the loading of scripts, and is dropped.
      await measure(SHORT);
      const [few, many] = [await measure(SHORT), await measure(LONG)];
      const grown = [...few].filter(([name, usec]) => (many.get(name) ?? 0) > FACTOR * usec);
      expect(grown.map(([name, usec]) => `${name}: ${usec} µs, ${many.get(name)} µs`)).toEqual([]);
    });
  });
});
