import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LockService } from 'nest-redis-lock';
import request from 'supertest';
import { RedisServer } from '../../test/servers/redis/redis-server.js';
import { ReportMaker } from './report.queue.js';

describe('POST /reports/:id', () => {
  let redis: RedisServer;
  let app: INestApplication;
  let finish = (): void => {};
  const made: string[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
    process.env['REDIS_URL'] = redis.url;
    const { AppModule } = await import('./app.module.js');
    const make = (id: string): Promise<void> => {
      made.push(id);
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const testing = Test.createTestingModule({ imports: [AppModule] });
    app = (await testing.overrideProvider(ReportMaker).useValue({ make }).compile()).createNestApplication();
    await app.listen(0);
  });

  afterAll(async () => {
    await app.close();
    delete process.env['REDIS_URL'];
    await redis.stop();
  });

  it('is refused until the job of the first request is done', async () => {
    const post = () => request(app.getHttpServer()).post('/reports/7');
    await post().expect(202);
    await post().expect(409);
    const locks = app.get(LockService);
    const released = new Promise<void>((resolve) => {
      locks.onEvent(['released'], () => resolve());
    });
    while (made.length === 0) await sleep(5);
    await post().expect(409); // the job has the lock now
    finish();
    await released;
    await post().expect(202);
    while (made.length === 1) await sleep(5);
    expect(made).toEqual(['7', '7']);
    finish();
  });
});
