import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { ConflictException, Controller, Get, Inject, Injectable, Param, Post, UseInterceptors } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Locked, lockHandler, LockService } from 'nest-redis-lock';
import { RedisServer } from '../servers/redis/redis-server.js';
import { adapters, serve, type Served } from './applications.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

@Injectable()
class Stock {
  readonly busy = new Gate();

  constructor(@Inject('redis') private readonly redis: Redis) {}

  /** Sells one item. It is not atomic on purpose. */
  @Locked('stock:<0>', { wait: '10s' })
  async sell(sku: string): Promise<number> {
    const left = Number(await this.redis.get(`left:${sku}`));
    await turnOfTheLoop();
    if (left === 0) throw new ConflictException('Sold out');
    await this.redis.set(`left:${sku}`, left - 1);
    return left - 1;
  }
}

@Controller()
class ShopController {
  constructor(
    private readonly stock: Stock,
    @Inject(LockService) private readonly locks: LockService,
  ) {}

  @Post('sell/:sku')
  async sell(@Param('sku') sku: string): Promise<{ readonly left: number }> {
    return { left: await this.stock.sell(sku) };
  }

  @Get('owner')
  @UseInterceptors(lockHandler(() => 'owner', { wait: 0, lease: '20s' }))
  async owner(): Promise<string> {
    await this.stock.busy.pass();
    return this.locks.currentHold()?.owner ?? 'nobody';
  }
}

describe.each(adapters)('Two applications with one Redis, on %s', (_, adapter) => {
  let server: RedisServer;
  let redis: Redis;
  let applications: readonly [Served, Served];

  const request = (index: number, path: string, method = 'GET'): Promise<Response> =>
    fetch(`${applications[index % 2 === 0 ? 0 : 1].url}/${path}`, { method });
  const textOf = async (response: Promise<Response>): Promise<string> => (await response).text();
  const busyIn = ({ app }: Served): Gate => app.get(Stock).busy;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = connectAdmin(server.url);
  });

  beforeEach(async () => {
    await redis.flushall();
    const providers = [Stock, { provide: 'redis', useValue: redis }];
    const metadata = { controllers: [ShopController], providers };
    const open = (): Promise<Served> => serve(adapter, metadata, { connection: server.url, keyPrefix: 'shop:' });
    applications = await Promise.all([open(), open()]);
  });

  afterEach(async () => {
    await Promise.all(applications.map(({ app }) => app.close()));
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('never oversell', async () => {
    await redis.mset('left:apple', 25, 'left:pear', 3);
    const responses = await Promise.all([
      ...Array.from({ length: 40 }, (_unused, index) => request(index, 'sell/apple', 'POST')),
      ...Array.from({ length: 6 }, (_unused, index) => request(index, 'sell/pear', 'POST')),
    ]);
    const count = (wanted: number): number => responses.filter(({ status }) => status === wanted).length;
    expect([count(201), count(409)]).toEqual([28, 18]);
    await expect(redis.mget('left:apple', 'left:pear')).resolves.toEqual(['0', '0']);
    await expect(redis.keys('shop:*')).resolves.toEqual([]);
  });

  it('hold the lock of a handler as a hash with owner and count, for the lease that was asked for', async () => {
    const first = textOf(request(0, 'owner'));
    await busyIn(applications[0]).reached;
    expect((await request(1, 'owner')).status).toBe(409);
    const lock = await redis.hgetall('shop:owner');
    const remaining = await redis.pttl('shop:owner');
    expect(remaining > 10_000 && remaining <= 20_000).toBe(true);
    busyIn(applications[0]).open();
    const owner = await first;
    expect(owner).toMatch(new RegExp(`^${UUID}:[0-9]+$`));
    expect(lock).toEqual({ [owner]: '1' });
    await until(async () => (await redis.exists('shop:owner')) === 0);
  });
});
