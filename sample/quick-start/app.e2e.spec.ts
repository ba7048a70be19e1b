import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { RedisServer } from '../../test/servers/redis/redis-server.js';

describe('POST /orders/:id/pay', () => {
  let redis: RedisServer;
  let app: INestApplication;

  beforeAll(async () => {
    redis = await RedisServer.start();
    process.env['REDIS_URL'] = redis.url;
    const { AppModule } = await import('./app.module.js');
    app = (await Test.createTestingModule({ imports: [AppModule] }).compile()).createNestApplication();
    await app.listen(0);
  });

  afterAll(async () => {
    await app.close();
    await redis.stop();
  });

  it('pays an order once when two requests arrive at the same time', async () => {
    const pay = () => request(app.getHttpServer()).post('/orders/7/pay').expect(201);
    const results = (await Promise.all([pay(), pay()])).map(({ body }) => String(body.result));
    expect(results.sort()).toEqual(['already paid', 'paid']);
    await request(app.getHttpServer()).get('/health').expect(200);
  });
});
