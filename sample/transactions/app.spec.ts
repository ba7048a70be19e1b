import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { PostgresServer } from '../../test/servers/postgres/postgres-server.js';
import { RedisServer } from '../../test/servers/redis/redis-server.js';
import { Shipping, StockService } from './stock.service.js';

describe('A sale of ten pieces to thirty customers', () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let app: TestingModule;

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
    process.env['REDIS_URL'] = redis.url;
    process.env['DATABASE_URL'] = postgres.url;
    const { AppModule } = await import('./app.module.js');
    const testing = Test.createTestingModule({ imports: [AppModule] });
    app = await testing
      .overrideProvider(Shipping)
      .useValue({ reserve: async () => {} })
      .compile();
    await app.init();
  }, 120_000);

  afterAll(async () => {
    await app.get(DataSource).destroy();
    await app.close();
    delete process.env['REDIS_URL'];
    delete process.env['DATABASE_URL'];
    await Promise.all([redis.stop(), postgres.stop()]);
  });

  it('sells each piece once', async () => {
    const database = app.get(DataSource);
    await database.query("INSERT INTO stock (sku, pieces) VALUES ('chair', 10)");
    const sales = await Promise.all(Array.from({ length: 30 }, () => app.get(StockService).sell('chair')));
    expect(sales.filter(Boolean)).toHaveLength(10);
    const stock = await database.query<object[]>('SELECT sku, pieces FROM stock');
    expect(stock).toEqual([{ sku: 'chair', pieces: 0 }]);
  });
});
