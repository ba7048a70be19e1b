import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { until } from '../kit/until.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './replica.worker.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { flightLock, lockChannel } from '../../lib/keys/redisson-keys.js';

/** The errors of the replicas' clocks, ms. */
const SKEWS_MS = [-730, -320, 0, 410, 740];
/** The delay between two replicas for the same tick, ms. */
const SKEW_MS = 80;
/** The time for at least two ticks on each replica, ms. */
const WATCHED_MS = 2200;

describe('A job on five replicas whose clocks differ', () => {
  let server: RedisServer;
  let redis: Redis;
  let replicas: readonly Worker<typeof api>[];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = connectAdmin(server.url);
    const file = new URL('./replica.worker.ts', import.meta.url);
    replicas = await Promise.all(
      SKEWS_MS.map((skew) =>
        Worker.start<typeof api>(file, { args: [server.url], env: { CLOCK_SKEW_MS: String(skew) } }),
      ),
    );
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.call('stop')));
    await Promise.all(replicas.map((replica) => replica.stop()));
    redis.disconnect();
    await server.stop();
  });

  /** Makes the same tick on all replicas, one after the other. */
  const tick = async (job: 'once' | 'careless'): Promise<number> => {
    await redis.del(`runs:${job}`);
    await Promise.all(
      replicas.map(async (replica, index) => {
        await sleep(index * SKEW_MS);
        await replica.call('tick', job);
      }),
    );
    return Number(await redis.get(`runs:${job}`));
  };

  it('is done once a tick with holdAtLeast', async () => {
    for (let round = 0; round < 2; round++) {
      await expect(tick('once')).resolves.toBe(1);
      expect(await redis.pttl('report')).toBeGreaterThan(0);
      // The next tick comes when the lock has ended.
      await redis.del('report');
    }
  });

  it('has the clocks that it says', async () => {
    for (const [index, replica] of replicas.entries()) {
      const before = Date.now();
      const skewed = (await replica.call('now')) - (SKEWS_MS[index] ?? Number.NaN);
      expect(skewed).toBeGreaterThanOrEqual(before);
      expect(skewed).toBeLessThanOrEqual(Date.now());
    }
  });

  it('runs each tick of their clocks once with @LockedCron, and leaves none out', async () => {
    await Promise.all(replicas.map((replica) => replica.call('startClock')));
    await sleep(WATCHED_MS);
    const ticks = await Promise.all(replicas.map((replica) => replica.call('stopClock')));
    expect(Math.min(...ticks)).toBeGreaterThanOrEqual(2);

    const runs = (await redis.lrange('runs:cron', 0, -1)).map(Number).toSorted((a, b) => a - b);
    const [first = Number.NaN] = runs;
    expect(runs.length).toBeGreaterThan(2);
    expect(runs).toEqual(runs.map((_, index) => first + index));
  });

  it('makes a result once for all concurrent calls, and again for later ones', async () => {
    const listeners = async () => Number((await redis.pubsub('NUMSUB', lockChannel(flightLock('result:may'))))[1]);
    for (const run of [1, 2]) {
      // The calls are counted by their replicas that listen, and a replica listens on for a while.
      await until(async () => (await listeners()) === 0, 5000, 'no replica listens');
      const calls = replicas.flatMap((replica) => [1, 2].map(() => replica.call('made', 'may', replicas.length - 1)));
      const [first, ...others] = await Promise.all(calls);
      expect(first?.run).toBe(run);
      for (const other of others) expect(other).toEqual(first);
    }
  });

  it('is repeated by each later replica without it', async () => {
    await expect(tick('careless')).resolves.toBeGreaterThan(1);
  });
});
