import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RedisServer } from '../servers/redis-server.js';
import { Worker } from '../servers/worker.js';
import type { api } from './replica.worker.js';

const REPLICAS = 5;
/** By how much the clocks of replicas differ, ms. */
const SKEW_MS = 80;

describe('A job on five replicas whose clocks differ', () => {
  let server: RedisServer;
  let redis: Redis;
  let replicas: readonly Worker<typeof api>[];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
    const file = new URL('./replica.worker.ts', import.meta.url);
    replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => Worker.start<typeof api>(file, { args: [server.url] })),
    );
  }, 60_000);

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.call('stop')));
    await Promise.all(replicas.map((replica) => replica.stop()));
    redis.disconnect();
    await server.stop();
  });

  /** The same tick on all of them, one after the other. */
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
      // Until the next tick, which is later than the lock is kept.
      while ((await redis.exists('report')) === 1) await sleep(50);
    }
  }, 30_000);

  it('is done again by each that comes later without it', async () => {
    await expect(tick('careless')).resolves.toBeGreaterThan(1);
  });
});
