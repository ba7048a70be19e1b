import { Redis } from 'ioredis';
import { FaultProxy, mentions } from './fault-proxy.js';
import { RedisServer } from '../redis/redis-server.js';
import { connectAdmin } from '../redis/admin-connection.js';

const settledWithin = (promise: Promise<unknown>, ms: number) =>
  Promise.race([
    promise.then(
      () => 'resolved',
      () => 'rejected',
    ),
    new Promise((resolve) => setTimeout(resolve, ms, 'pending')),
  ]);

const ready = async (client: Redis) => {
  if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
};

describe('FaultProxy', () => {
  let server: RedisServer;
  let proxy: FaultProxy;
  let direct: Redis;
  let client: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    direct = connectAdmin(server.url);
  });

  beforeEach(async () => {
    await direct.flushall();
    proxy = await FaultProxy.start(server);
    // Nothing is sent twice, so that what the server counted is what one command did.
    client = new Redis(proxy.url, { retryStrategy: () => 10, maxRetriesPerRequest: 0 }).on('error', () => {});
    await client.ping();
  });

  afterEach(async () => {
    client.disconnect();
    await proxy.close();
  });

  afterAll(async () => {
    direct.disconnect();
    await server.stop();
  });

  it('passes everything on while nothing is wrong, values of any size too', async () => {
    const value = 'x'.repeat(300_000);
    await client.set('key', value);
    await expect(client.get('key')).resolves.toBe(value);
    expect(proxy.accepted).toBe(1);
    expect(proxy.open).toBe(1);
  });

  it('cuts after a command: it is executed once, and the client sees a cut in place of the reply', async () => {
    const cut = proxy.cutAfter(mentions('incr', 'counter'));
    const commands = [client.incr('before'), client.incr('counter'), client.incr('behind')];
    for (const outcome of await Promise.allSettled(commands)) expect(outcome.status).toBe('rejected');
    await cut;
    await expect(direct.mget('before', 'counter', 'behind')).resolves.toEqual(['1', '1', null]);
    await client.ping();
    expect(proxy.accepted).toBe(2);
  });

  it('cuts before a command: it never reaches the server', async () => {
    const cut = proxy.cutBefore(mentions('incr', 'counter'));
    await expect(client.incr('counter')).rejects.toThrow('max retries');
    await cut;
    await expect(direct.get('counter')).resolves.toBeNull();
    await expect(client.incr('counter')).resolves.toBe(1);
  });

  it('holds requests until healed and then delivers them', async () => {
    proxy.hold('request');
    const increment = client.incr('counter');
    await expect(settledWithin(increment, 100)).resolves.toBe('pending');
    await expect(direct.get('counter')).resolves.toBeNull();
    proxy.heal();
    await expect(increment).resolves.toBe(1);
    expect(proxy.accepted).toBe(1);
  });

  it('loses replies in a black hole, and cuts the connection that lost them when healed', async () => {
    proxy.blackhole('reply');
    const increment = client.incr('counter');
    await expect(settledWithin(increment, 100)).resolves.toBe('pending');
    await expect(direct.get('counter')).resolves.toBe('1');
    proxy.heal();
    await expect(increment).rejects.toThrow('max retries');
    await expect(client.incr('counter')).resolves.toBe(2);
  });

  it('delays each direction', async () => {
    const started = performance.now();
    proxy.delay(60, 'request');
    proxy.delay(40, 'reply');
    await Promise.all([client.ping(), client.ping()]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(99);
    proxy.heal();
    await client.ping();
  });

  it('resets all connections', async () => {
    const ended = new Promise((resolve) => client.once('close', resolve));
    proxy.cutAll();
    await ended;
    await client.ping();
    expect(proxy.accepted).toBe(2);
  });

  it('accepts new connections and stays silent until healed', async () => {
    proxy.acceptThenSilent();
    proxy.cutAll();
    await new Promise((resolve) => client.once('connect', resolve));
    await expect(settledWithin(new Promise((resolve) => client.once('ready', resolve)), 100)).resolves.toBe('pending');
    proxy.heal();
    await ready(client);
    await expect(client.ping()).resolves.toBe('PONG');
  });

  it('accepts new connections and closes them until healed', async () => {
    proxy.acceptThenClose();
    proxy.cutAll();
    for (let closed = 0; closed < 3; closed++) await new Promise((resolve) => client.once('close', resolve));
    expect(client.status).not.toBe('ready');
    proxy.heal();
    await ready(client);
    await expect(client.ping()).resolves.toBe('PONG');
  });
});
