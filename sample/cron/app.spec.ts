import { Test, type TestingModule } from '@nestjs/testing';
import { LockService } from 'nest-redis-lock';
import { RedisServer } from '../../test/servers/redis/redis-server.js';

describe('Two processes with one cron job', () => {
  let redis: RedisServer;
  const apps: TestingModule[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
    process.env['REDIS_URL'] = redis.url;
    const { AppModule } = await import('./app.module.js');
    for (let count = 0; count < 2; count++) {
      apps.push(await Test.createTestingModule({ imports: [AppModule] }).compile());
    }
  });

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    delete process.env['REDIS_URL'];
    await redis.stop();
  });

  it('run each tick once', async () => {
    // The name of the lock has the instant of the tick.
    const ticks: string[] = [];
    const threeTicks = new Promise<void>((resolve) => {
      for (const app of apps) {
        app.get(LockService).onEvent(['acquired'], ({ lockName }) => {
          if (ticks.push(lockName) === 3) resolve();
        });
      }
    });
    await Promise.all(apps.map((app) => app.init()));
    await threeTicks;
    expect(new Set(ticks).size).toBe(ticks.length);
  });
});
