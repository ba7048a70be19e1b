import { inspect } from 'node:util';
import { Cluster, Redis } from 'ioredis';
import { createLocks, LockOptionsError, type RedisLockOptions } from 'nest-redis-lock';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { caught, thrownBy } from '../kit/caught.js';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';

const refusal = (options: unknown): LockOptionsError =>
  thrownBy(() => parseModuleOptions(options as RedisLockOptions), LockOptionsError);

const NODES = ['redis://a', 'redis://b', 'redis://c'];

/** Every place in which the options of one server, or a client with them, can be given. */
const PLACES: readonly (readonly [string, (input: unknown) => unknown])[] = [
  ['connection', (input) => ({ connection: input })],
  ['connection, without a probe', (input) => ({ connection: input, probe: false })],
  ['connections', (input) => ({ connections: { default: 'redis://a', other: input } })],
  ['redLock.nodes', (input) => ({ redLock: { nodes: [...NODES, input] } })],
];

/** What selects a server, a database or a name space, and is wrong; with what the message names. */
const WRONG: readonly (readonly [object, string])[] = [
  [{ db: Number.NaN }, '"db": NaN, as if an environment variable were not set'],
  [{ db: '' }, '"db": "", as if an environment variable were not set'],
  [{ db: 'abc' }, '"db": "abc"; give the number of a database from 0'],
  [{ db: -1 }, '"db": -1;'],
  [{ db: 1.5 }, '"db": 1.5;'],
  [{ db: '0x1' }, '"db": "0x1";'],
  [{ port: Number.NaN }, '"port": NaN, as if an environment variable were not set'],
  [{ port: 0 }, '"port": 0; give a port from 1 to 65535'],
  [{ port: 65_536 }, '"port": 65536;'],
  [{ port: '' }, '"port": "", as if'],
  [{ port: 'redis://:s3cret@a' }, '"port": a URL or path;'],
  [{ host: 'undefined' }, '"host" with "undefined" in it'],
  [{ host: 'redis-undefined.internal' }, '"host" with "undefined" in it'],
  [{ host: 'null' }, '"host" with "null" in it'],
  [{ host: 6379 }, '"host": 6379;'],
  [{ host: 'redis://:s3cret@a:6379' }, '"host" that is no host name'],
  [{ path: '/run/undefined.sock' }, '"path" with "undefined" in it'],
  [{ keyPrefix: 'undefined:lock:' }, '"keyPrefix" with "undefined" in it'],
  [{ keyPrefix: 'shop-NaN:' }, '"keyPrefix" with "NaN" in it'],
  [{ keyPrefix: '[object Object]:' }, '"keyPrefix" with "[object Object]" in it'],
  [{ keyPrefix: 'shop:null:' }, '"keyPrefix" with "null" in it'],
];

describe('D53: What selects a server, a database or a name space', () => {
  it.each(WRONG)('is refused as %j in options of ioredis, wherever they are given', (wrong, named) => {
    for (const [, within] of PLACES) {
      const error = refusal(within({ host: 'redis', password: 's3cret', ...wrong }));
      expect(error.message).toContain(`connection has ${named}`);
      expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
    }
  });

  // What ioredis makes of these cannot be told from what was meant: parseInt('1.5') is 1, and parseInt('') is NaN.
  it.each(WRONG.filter(([wrong]) => Object.values(wrong).every((value) => value !== '' && value !== '0x1')))(
    'is refused as %j of a client, wherever it is given',
    (wrong, named) => {
      const client = new Redis({ lazyConnect: true, password: 's3cret', ...wrong });
      const [option = ''] = named.split(/[:;]| with| that/);
      for (const [, within] of PLACES) expect(refusal(within(client)).message).toContain(`connection has ${option}`);
      client.disconnect();
    },
  );

  it.each([
    ['redis://undefined:6379', '"host" with "undefined" in it'],
    ['redis://redis:undefined', 'with "undefined" in it, as if an environment variable were not set'],
    ['redis://redis:6379/undefined', 'with "undefined" in it, as if an environment variable were not set'],
    ['redis://redis:6379/NaN', 'with "NaN" in it, as if an environment variable were not set'],
    ['redis://redis:0', '"port": 0;'],
    ['/run/undefined/redis.sock', '"path" with "undefined" in it'],
  ])('is refused in the URL %s, wherever it is given', (url, named) => {
    for (const [, within] of PLACES) expect(refusal(within(url)).message).toContain(named);
  });

  const SENTINELS: readonly (readonly [object, string])[] = [
    [{ sentinels: [{ host: 's1', port: Number.NaN }] }, '"sentinels[0].port": NaN, as if'],
    [{ sentinels: [{ host: 's1' }, { host: 'undefined' }] }, '"sentinels[1].host" with "undefined" in it'],
    [{ sentinels: ['redis://:s3cret@s1'] }, '"sentinels[0]" that is not { host, port }'],
    [{ name: 'undefined' }, '"name" with "undefined" in it'],
    [{ db: Number.NaN }, '"db": NaN'],
  ];

  it.each(SENTINELS)('is refused as %j of Sentinels, in options and in a client', (wrong, named) => {
    const options = { sentinels: [{ host: 's1', port: 26_379 }], name: 'shop', ...wrong };
    const client = new Redis({ ...options, lazyConnect: true });
    for (const connection of [options, client]) {
      const error = refusal({ connection });
      expect(error.message).toContain(`connection has ${named}`);
      expect(inspect(error)).not.toContain('s3cret');
    }
    client.disconnect();
  });

  it.each<[object, string]>([
    [{ cluster: [{ host: 'c1', port: Number.NaN }] }, '"cluster[0].port": NaN, as if'],
    [{ cluster: [{ host: 'c1', port: 'abc' }] }, '"cluster[0].port": "abc"; give a port from 1 to 65535'],
    [{ cluster: ['redis://c1', 'redis://undefined:7000'] }, '"cluster[1].host" with "undefined" in it'],
    [{ cluster: ['redis://c1:0'] }, '"cluster[0].port": 0;'],
    [{ cluster: ['redis://c1/2'] }, 'a cluster[0] with a database; a cluster has only database 0'],
    [{ cluster: ['/run/redis.sock'] }, 'a cluster[0] that is neither a redis:// URL nor { host, port }'],
    [{ redisOptions: { db: Number.NaN } }, '"redisOptions.db": NaN, as if'],
    [{ redisOptions: { db: 2 } }, '"redisOptions.db": 2; a cluster has only database 0'],
    [{ redisOptions: { path: '/run/redis.sock' } }, '"redisOptions.path"'],
    [{ redisOptions: { sentinels: [{ host: 's1' }] } }, '"redisOptions.sentinels"'],
    [{ redisOptions: { keyPrefix: 'undefined:' } }, '"keyPrefix" with "undefined" in it'],
    [{ natMap: { 'c1:1': { host: 'undefined', port: 1 } } }, '.host" with "undefined" in it'],
    [{ natMap: { 'c1:1': { host: 'c1' } } }, 'that is not { host, port }; give both'],
    [{ keyPrefix: 'undefined:' }, '"keyPrefix" with "undefined" in it'],
  ])('is refused as %j of a cluster', (wrong, named) => {
    expect(refusal({ connection: { cluster: ['redis://c1'], ...wrong } }).message).toContain(named);
  });

  it.each<[ConstructorParameters<typeof Cluster>, string]>([
    [[[{ host: 'c1', port: Number.NaN }], {}], 'port": NaN'],
    [[[{ host: 'undefined', port: 1 }], {}], 'host" with "undefined" in it'],
    [[['redis://c1'], { redisOptions: { db: 2 } }], '"redisOptions.db": 2'],
    [[['redis://c1'], { keyPrefix: 'undefined:' }], '"keyPrefix" with "undefined" in it'],
  ])('is refused in a client of a cluster: %j', ([nodes, options], named) => {
    const client = new Cluster(nodes, { ...options, lazyConnect: true });
    expect(refusal({ connection: client }).message).toContain(named);
    client.disconnect();
  });

  it.each(['undefined:lock:', 'shop:undefined', 'NaN:', 'null:', '[object Object]:lock:'])(
    'is refused as the prefix %s of the module',
    (keyPrefix) => {
      const { message, details } = refusal({ connection: 'memory', keyPrefix });
      expect(message).toContain('in it, as if an environment variable were not set; give a prefix such as');
      expect(details).toEqual({ option: 'keyPrefix', value: keyPrefix });
    },
  );

  it.each<[RedisLockOptions]>([
    [{ connection: { host: 'redis', port: '6380', db: '2' } }],
    [{ connection: { host: 'redis', db: 0, keyPrefix: '' } }],
    [{ connection: { host: 'fe80::1%eth0', keyPrefix: 'undefinedness:nullable:' } }],
    [{ connection: { cluster: [{ host: 'c1', port: '7000' } as object as { host: string }] } }],
    [{ connection: { cluster: ['redis://c1:7000/0'], redisOptions: { db: 0 } } }],
    [{ connection: { sentinels: [{ host: 's1', port: '26379' }], name: 'shop', db: 3 } }],
    [{ connection: '/run/redis.sock', keyPrefix: 'shop:lock:' }],
  ])('is accepted as %j, with numbers as text as environment variables give them', (options) => {
    expect(() => parseModuleOptions(options)).not.toThrow();
  });

  it('is refused before a connection is opened, so that ioredis has nothing to reject', async () => {
    const client = new Redis({ host: '127.0.0.1', port: 1, db: Number.NaN, lazyConnect: true });
    const duplicate = jest.spyOn(client, 'duplicate');
    await caught(createLocks({ connection: client, probe: false }), LockOptionsError);
    expect(duplicate).not.toHaveBeenCalled();
    client.disconnect();
  });
});

describe('A client of node-redis', () => {
  const url = 'redis://joe:s3cret@127.0.0.1:7/3';

  it('is read as one of ioredis is, connected or not', () => {
    const client = createClient({ url, keyPrefix: 'shop:', socket: { tls: false } });
    const { target, keyPrefix } = parseModuleOptions({ connection: client });
    expect(target).toMatchObject({
      kind: 'redis',
      servers: { options: { host: '127.0.0.1', port: 7, username: 'joe', password: 's3cret', db: 3 } },
    });
    expect(keyPrefix).toBe('shop:');
    const { target: secure } = parseModuleOptions({ connection: createClient({ url: 'rediss://redis' }) });
    expect(secure).toMatchObject({ servers: { options: { host: 'redis', tls: {} } } });
  });

  it.each<[string, () => object]>([
    ['is a pool of clients; give the client that it was made of', () => createClientPool({ url })],
    [
      'is a client of Sentinels; give { sentinels, name }',
      () => createSentinel({ name: 'shop', sentinelRootNodes: [{ host: 's3cret', port: 1 }] }),
    ],
    [
      'is a client that cannot be duplicated; give the client that it was made of',
      () => createClient({ url }).legacy(),
    ],
  ])('D54: %s', (why, make) => {
    const { message } = refusal({ connection: make() });
    expect(message).toContain(`connection ${why}, or a URL as text`);
    expect(message).not.toContain('s3cret');
  });
});

it('A client of ioredis that was closed is refused, and one that connects later is not', async () => {
  const client = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true, retryStrategy: () => null });
  expect(() => parseModuleOptions({ connection: client })).not.toThrow();
  await client.connect().catch(() => {});
  expect(client.status).toBe('end');
  for (const [, within] of PLACES)
    expect(refusal(within(client)).message).toContain('is a client that was closed; give one that is open');
});

it('A client of a cluster that knows no nodes is refused', () => {
  const why = 'is a client of a cluster that knows no nodes; connect it first, or give { cluster: [nodes] }';
  for (const connection of [
    createCluster({ rootNodes: [{ url: 'redis://c1' }] }),
    new Cluster([], { lazyConnect: true }),
  ])
    expect(refusal({ connection }).message).toContain(why);
});

describe('D54: What is no client', () => {
  it('is refused as an imitation such as ioredis-mock, whose locks would be nowhere', () => {
    const mock = { status: 'ready', options: { host: 'localhost' }, duplicate: () => mock, evalsha: () => {} };
    for (const [, within] of PLACES) {
      expect(refusal(within(mock)).message).toMatch(/imitates another, such as ioredis-mock.*connection: "memory"/);
    }
  });
});
