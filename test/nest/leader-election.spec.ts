import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { LockService, LockShutdownError } from 'nest-redis-lock';
import { RedisServer } from '../servers/redis/redis-server.js';
import { start } from './applications.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

@Injectable()
class Reports implements OnApplicationBootstrap {
  readonly log: unknown[] = [];
  readonly work = new Gate();

  constructor(private readonly locks: LockService) {}

  onApplicationBootstrap(): void {
    this.locks
      .getLeaderElection('reports', {
        onElected: async (signal) => {
          signal.addEventListener('abort', () => this.log.push(signal.reason));
          this.log.push('elected');
          await this.work.pass();
          this.log.push('put in order');
        },
        onDemoted: () => void this.log.push('demoted'),
      })
      .start();
  }
}

describe('The leader among applications', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = connectAdmin(server.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('puts its work in order when its application ends, and another one leads at once', async () => {
    const open = () => start({ providers: [Reports] }, { connection: server.url });
    const first = await open();
    const { log, work } = first.get(Reports);
    await work.reached;
    const second = await open();
    const closed = first.close();
    await until(() => log.length === 2);
    // The lock is not released before the work has ended.
    await expect(redis.exists('reports')).resolves.toBe(1);
    expect(second.get(Reports).log).toEqual([]);
    work.open();
    await second.get(Reports).work.reached;
    await closed;
    expect(log).toEqual(['elected', expect.any(LockShutdownError) as unknown, 'put in order', 'demoted']);
    second.get(Reports).work.open();
    await second.close();
    await expect(redis.keys('*')).resolves.toEqual([]);
  });
});
