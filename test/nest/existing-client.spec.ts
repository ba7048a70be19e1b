import { inspect } from 'node:util';
import { Redis, type RedisOptions } from 'ioredis';
import { LockService } from 'nest-redis-lock';
import { RedisServer } from '../servers/redis/redis-server.js';
import { runtimeOf, start } from './applications.js';
import { until } from '../kit/until.js';

let server: RedisServer;
/** A client without a key prefix, which shows whole keys. */
let raw: Redis;

const clientOf = (options: Omit<RedisOptions, 'replyMapping'> = {}): Redis => new Redis(server.url, options);

const names = async (): Promise<string[]> => {
  const list = String(await raw.client('LIST'));
  return [...list.matchAll(/ name=(nest-redis-lock:\w+) /g)].map(([, name = '']) => name).toSorted();
};

beforeAll(async () => {
  server = await RedisServer.start();
  raw = clientOf();
});

beforeEach(() => raw.flushall());

afterAll(async () => {
  raw.disconnect();
  await server.stop();
});

describe('An existing client', () => {
  it('is duplicated, and never changed, used or closed', async () => {
    const client = clientOf({ keyPrefix: 'shop:', connectionName: 'mine', maxRetriesPerRequest: null });
    await client.ping();
    const state = (): unknown => ({
      options: inspect(client.options, { depth: 9 }),
      listeners: client.eventNames().map((event) => [event, client.listenerCount(event)]),
      own: Object.keys(client),
      status: client.status,
    });
    const before = state();
    const defineCommand = jest.spyOn(client, 'defineCommand');
    const sendCommand = jest.spyOn(client, 'sendCommand');
    const duplicate = jest.spyOn(client, 'duplicate');

    const app = await start({}, { connection: client });
    const locks = app.get(LockService);
    const hold = await locks.acquire('order:1');
    const waiting = locks.withLock('order:1', () => 'waited');
    await until(() => runtimeOf(app).acquirer.contended === 1);
    await hold.release();
    await expect(waiting).resolves.toBe('waited');
    await app.close();

    expect(defineCommand).not.toHaveBeenCalled();
    expect(sendCommand).not.toHaveBeenCalled();
    jest.restoreAllMocks();
    expect(state()).toEqual(before);
    await expect(client.ping()).resolves.toBe('PONG');
    const ours = duplicate.mock.results.map(({ value }) => value as Redis);
    // Four connections: the locks and the start-up probe each have one for commands and one for messages.
    expect(ours.map(({ status }) => status)).toEqual(['end', 'end', 'end', 'end']);
    client.disconnect();
  });

  it('that never connected stays unconnected', async () => {
    const client = clientOf({ lazyConnect: true });
    const app = await start({}, { connection: client });
    await expect(app.get(LockService).withLock('order:1', () => 'done')).resolves.toBe('done');
    expect(client.status).toBe('wait');
    await app.close();
    expect(client.status).toBe('wait');
  });

  it('gives its key prefix to keys and channels', async () => {
    const client = clientOf({ keyPrefix: 'shop:' });
    const app = await start({}, { connection: client });
    const locks = app.get(LockService);
    const hold = await locks.acquire('order:1');
    expect(hold.name).toBe('shop:order:1');
    await expect(raw.keys('*')).resolves.toEqual(['shop:order:1']);
    await expect(raw.hgetall('shop:order:1')).resolves.toEqual({ [hold.owner]: '1' });
    const waiting = locks.withLock('order:1', ({ name }) => name);
    const channel = 'redisson_lock__channel:{shop:order:1}';
    const channels = async (): Promise<readonly string[]> => (await raw.pubsub('CHANNELS')).map(String).toSorted();
    // The channel of the releases, that of the grants to this client, and that of all clients.
    await until(async () => (await channels()).length === 3);
    const ofGrants = expect.stringMatching(`^${channel}:[0-9a-f-]{36}$`);
    expect(await channels()).toEqual(expect.arrayContaining([channel, `${channel}:clients`, ofGrants]));
    await hold.release();
    await expect(waiting).resolves.toBe('shop:order:1');
    await app.close();
    client.disconnect();
  });
});

describe('A connection of the library', () => {
  it.each([
    ['a URL', () => `${server.url}/3`],
    ['options', () => Object.freeze({ host: server.host, port: server.port, db: 3 })],
    ['options that would be dangerous for locks', () => Object.freeze(dangerous())],
  ])('from %s uses the given database, and is closed with the application', async (_, connection) => {
    const app = await start({}, { connection: connection() });
    const third = clientOf({ db: 3 });
    const locks = app.get(LockService);
    const hold = await locks.acquire('order:1');
    await expect(third.exists('order:1')).resolves.toBe(1);
    const waiting = locks.withLock('order:1', () => 'waited');
    await until(async () => (await names()).length === 2);
    await expect(names()).resolves.toEqual(['nest-redis-lock:commands', 'nest-redis-lock:subscriber']);
    await hold.release();
    await expect(waiting).resolves.toBe('waited');
    await app.close();
    await until(async () => (await names()).length === 0);
    third.disconnect();
  });
});

const dangerous = (): RedisOptions => ({
  host: server.host,
  port: server.port,
  db: 3,
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: null,
  retryStrategy: () => null,
  commandTimeout: 1,
  stringNumbers: true,
  autoResubscribe: true,
  connectionName: 'mine',
  replyMapping: 'resp3',
});
