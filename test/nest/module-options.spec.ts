import { inspect } from 'node:util';
import { Test } from '@nestjs/testing';
import fc from 'fast-check';
import { Cluster } from 'ioredis';
import {
  LockOptionsError,
  LockService,
  LockUnavailableError,
  RedisLockModule,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { formatValue as described } from '../../lib/validation/format-value.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { caught, thrownBy } from '../kit/caught.js';
import { runtimeOf, start } from './applications.js';
import { installedDriver } from '../../lib/backend/driver/drivers.js';
import { redisOptions } from './redis-options.js';

type Accepts = (value: unknown) => boolean;

const MAX = 2 ** 31 - 1;
const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const isDuration =
  (min: number, max: number, infinity = false): Accepts =>
  (value) => {
    if (value === Number.POSITIVE_INFINITY) return infinity;
    const [, amount, unit = ''] = (typeof value === 'string' && /^([0-9]+)(ms|s|m|h)$/.exec(value)) || [];
    const ms = amount === undefined ? value : Number(amount) * (UNITS.get(unit) ?? Number.NaN);
    return typeof ms === 'number' && Number.isInteger(ms) && ms >= min && ms <= max;
  };

const oneOf =
  (...values: readonly unknown[]): Accepts =>
  (value) =>
    values.includes(value);

/** The values that each option accepts. Undefined is the default everywhere. */
const accepts: Readonly<Record<string, Accepts>> = {
  keyPrefix: (value) => typeof value === 'string',
  wait: isDuration(0, MAX, true),
  renewedLease: isDuration(50, MAX),
  fairWaitTimeout: isDuration(100, MAX),
  commandTimeout: isDuration(50, 2000),
  shutdownTimeout: isDuration(0, MAX),
  safetyPoll: isDuration(50, MAX),
  maxNameBytes: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  maxNames: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  allowControlCharacters: oneOf(true, false),
  release: oneOf('confirmed', 'background'),
  fencing: oneOf('clock', 'counter'),
  conflictStatus: oneOf(409, 423),
  deadlocks: oneOf('detect', 'off'),
  lockOrder: oneOf('off', 'warn', 'throw'),
};

const MASTERS = [1, 2, 3].map((port) => `redis://127.0.0.1:${port}`);

/** The values that faults.md section 11 names. */
const numbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0, 0.5, 1e21, 2 ** 53, 2 ** 63];
const others = ['10abc', '', ' 5', '1e3', '0x10', '-1s', '1.5s', null, true, [], [5], {}, new Date(0), 1n, Symbol('s')];
const values: readonly unknown[] = [...numbers, ...others];

const cases = Object.entries(accepts).flatMap(([option, accepted]) =>
  values.filter((value) => !accepted(value)).map((value) => [option, value] as const),
);

/** The details of the refusal; undefined if the options are accepted. */
const refusedDetails = (options: RedisLockOptions): LockOptionsError['details'] | undefined => {
  try {
    parseModuleOptions(options);
    return undefined;
  } catch (error) {
    if (error instanceof LockOptionsError) return error.details;
    throw error;
  }
};

describe('An option of the module', () => {
  it.each(cases)('%s is refused as %p when the application is made', async (option, value) => {
    const options = { connection: 'memory' as const, [option]: value };
    const compiling = Test.createTestingModule({ imports: [RedisLockModule.forRoot(options)] }).compile();
    const error = await caught(compiling, LockOptionsError);
    expect(error.message.startsWith(`${option} must be `)).toBe(true);
    expect(error.message).toContain(described(value));
    expect(error.details).toEqual({ option, value });
  });

  it.each(Object.keys(accepts))('%s is accepted or refused, whatever it is', (option) => {
    const accepted = accepts[option] ?? oneOf();
    const wild = fc.oneof(
      fc.constantFrom(...values),
      fc.anything(),
      fc.double(),
      fc.integer(),
      fc.stringMatching(/^[0-9]{1,11}(ms|s|m|h|d)?$/),
    );
    fc.assert(
      fc.property(
        wild.filter((value) => value !== undefined),
        (value) => {
          expect(refusedDetails({ [option]: value })).toEqual(accepted(value) ? undefined : { option, value });
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['conection', 'password', 'isglobal', 'lease', '__proto__', 'constructor', 'toString'])(
    'that does not exist, such as %s, is refused by its name',
    (option) => {
      const options = Object.defineProperty({}, option, { value: 's3cret', enumerable: true });
      const { message } = thrownBy(() => parseModuleOptions(options), LockOptionsError);
      expect(message).toContain(`unknown option "${option}"`);
      expect(message).not.toContain('s3cret');
    },
  );

  it('is read once, as an own property', () => {
    let reads = 0;
    const options = Object.create({ wait: -1 }) as { readonly safetyPoll: number };
    const get = (): number => 50 + reads++;
    Object.defineProperty(options, 'safetyPoll', { get, enumerable: true });
    expect(parseModuleOptions(options)).toMatchObject({ wait: 10_000, safetyPoll: 50 });
    expect(reads).toBe(1);
  });

  it('may be missing', () => {
    expect(parseModuleOptions({ wait: undefined, keyPrefix: undefined })).toEqual(parseModuleOptions({}));
    expect(parseModuleOptions({})).toEqual({
      target: {
        kind: 'redis',
        servers: { options: { host: '127.0.0.1', port: 6379, db: 0 }, driver: installedDriver },
      },
      others: new Map(),
      redLock: undefined,
      keyPrefix: '',
      isPrefixChosen: false,
      wait: 10_000,
      renewedLease: 30_000,
      fairWaitTimeout: 5000,
      commandTimeout: 1000,
      shutdownTimeout: 10_000,
      handOver: { max: undefined, ms: 5 },
      releasesInBackground: false,
      safetyPoll: 5000,
      names: { maxBytes: 512, allowControlCharacters: false },
      maxNames: 1000,
      fencing: 'clock',
      maxQueue: 10_000,
      maxHold: Infinity,
      replicas: undefined,
      restartGuard: 0,
      probe: 'refuse',
      shardedPubSub: 'auto',
      conflictStatus: 409,
      deadlocks: 'detect',
      lockOrder: 'warn',
    });
  });
});

describe('The option replicas', () => {
  it.each([
    [{ min: 1 }, { min: 1, aof: false, timeout: 1000 }],
    [
      { min: 2, aof: true },
      { min: 2, aof: true, timeout: 3000 },
    ],
    [
      { min: 1, aof: true, timeout: '200ms' },
      { min: 1, aof: true, timeout: 200 },
    ],
  ] as const)('%j is %j', (replicas, parsed) => {
    expect(parseModuleOptions({ replicas }).replicas).toEqual(parsed);
  });

  it.each([
    ['aof', 'yes'],
    ['aof', 1],
    ['aof', null],
    ['min', 0],
    ['timeout', 0],
  ])('with %s as %j is refused', (option, value) => {
    expect(refusedDetails({ replicas: { min: 1, [option]: value } })).toEqual({ option: `replicas.${option}`, value });
  });
});

describe('The connection', () => {
  const refusal = (connection: unknown): LockOptionsError =>
    thrownBy(() => parseModuleOptions({ connection: connection as string }), LockOptionsError);

  it.each([
    ['a URL of something else', 'http://:s3cret@127.0.0.1'],
    ['a misspelt URL', 'redis:/:s3cret@127.0.0.1'],
    ['a URL with a port that none is', 'redis://:s3cret@127.0.0.1:99999'],
    ['a URL that is none', 'redis://:s3cret@[127.0.0.1'],
    ['a URL with a password that cannot be decoded', 'redis://:s3cret%zz@127.0.0.1'],
    ['a URL with a query', 'redis://:s3cret@127.0.0.1?enableOfflineQueue=false'],
    ['a URL with a path that is no database', 'redis://:s3cret@127.0.0.1/shop'],
    ['an empty text', ''],
    ['a list of URLs', ['redis://:s3cret@127.0.0.1']],
    ['a URL object', new URL('redis://:s3cret@127.0.0.1')],
    [
      'an instance of a class',
      new (class Settings {
        readonly password = 's3cret';
      })(),
    ],
    ['options with a URL', { url: 'redis://:s3cret@127.0.0.1' }],
    ['options of another library', { nodes: ['redis://:s3cret@127.0.0.1'] }],
    ['options of Sentinel without sentinels', { sentinels: [], name: 'shop', password: 's3cret' }],
    ['options of Sentinel without a name', { sentinels: [{ host: '127.0.0.1' }], password: 's3cret' }],
    [
      'options of Sentinel that ask for a replica',
      { sentinels: [{ host: '127.0.0.1' }], name: 'shop', role: 'slave', password: 's3cret' },
    ],
    ['a Cluster of no servers', { cluster: [], redisOptions: { password: 's3cret' } }],
    ['a Cluster with a server that is none', { cluster: [{ host: '127.0.0.1', port: 0, password: 's3cret' }] }],
    ['a Cluster with a misspelt URL', { cluster: ['redis:/:s3cret@127.0.0.1'] }],
    ['a function', () => 's3cret'],
    ['a number', 6379],
    ['null', null],
  ])('is refused as %s, without a word of it', (_, connection) => {
    const error = refusal(connection);
    expect(error.message).toMatch(/^connection (must be|is|has|asks for) /);
    expect(error.details).toEqual({ option: 'connection' });
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  });

  it('may be a Cluster client, servers of a Cluster, or a master behind Sentinels', () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true, keyPrefix: 'shop:' });
    expect(parseModuleOptions({ connection: cluster })).toMatchObject({
      target: { kind: 'redis', servers: { seeds: ['127.0.0.1:1'] } },
      keyPrefix: 'shop:',
    });
    cluster.disconnect();
    const seeds = { cluster: ['redis://127.0.0.1:7000', { host: '127.0.0.1', port: 7001 }] };
    expect(parseModuleOptions({ connection: seeds })).toMatchObject({
      target: { servers: { seeds: ['127.0.0.1:7000', '127.0.0.1:7001'] } },
    });
    const sentinels = { sentinels: [{ host: '127.0.0.1', port: 26379 }], name: 'shop' };
    expect(redisOptions({ connection: sentinels })).toBe(sentinels);
  });

  it('may be the memory of this process', () => {
    expect(parseModuleOptions({ connection: 'memory', keyPrefix: 'p:' })).toMatchObject({
      target: { kind: 'memory' },
      keyPrefix: 'p:',
    });
    const nodes = ['redis://a', 'redis://b', 'redis://c'];
    const beside = (): unknown => parseModuleOptions({ connection: 'memory', redLock: { nodes } });
    expect(beside).toThrow('redLock cannot be combined with connection "memory"');
    expect(() => parseModuleOptions({ connection: 'Memory' })).toThrow(LockOptionsError);
  });

  it.each([
    ['alone', { connection: 'redis://127.0.0.1:1' }],
    ['beside masters', { connection: 'redis://127.0.0.1:1', redLock: { nodes: MASTERS } }],
  ])('is opened at once, %s', async (_, options) => {
    const app = await start({}, { ...options, probe: false });
    const commands = Reflect.get(runtimeOf(app).backend, 'commands') as object;
    expect(Reflect.get(Reflect.get(commands, 'connection') as object, 'state')).toBe('connecting');
    await app.close();
  });

  it('has no default if only masters are given: a lock on a default server would not exclude others', async () => {
    const app = await start({}, { redLock: { nodes: MASTERS } });
    const locks = app.get(LockService);
    const answers = [
      locks.withLock('order:1', () => 'unprotected'),
      locks.tryAcquire('order:1', { fair: true }),
      locks.getReadWriteLock('stock').readLock().acquire(),
      locks.getSemaphore('gateway').acquire(),
      locks.getPermitExpirableSemaphore('gateway').tryAcquire(),
      locks.getCountDownLatch('picked').await(),
      locks.getLock('order:1').isLocked(),
      locks.singleFlight('report', () => 'unprotected'),
    ];
    for (const answer of answers) expect((await caught(answer, LockOptionsError)).message).toContain('"connection"');
    await app.close();
  });

  it('may be a URL with a password that has to be encoded', async () => {
    await using server = await RedisServer.start({ args: ['--requirepass', 's3cret@/:%'] });
    const app = await start({}, { connection: `redis://:s3cret%40%2F%3A%25@${server.host}:${server.port}/2` });
    await expect(app.get(LockService).withLock('order:1', () => 'done')).resolves.toBe('done');
    await app.close();
  });

  it('that the server refuses fails acquisitions and the start (D32), without the password in the error or its cause', async () => {
    await using server = await RedisServer.start({ args: ['--requirepass', 'another'] });
    const connection = { port: server.port, password: 's3cret' };
    const app = await start({}, { connection, commandTimeout: '2s', probe: false });
    const errors = [
      await caught(app.get(LockService).acquire('order:1'), LockUnavailableError),
      await caught(start({}, { connection, commandTimeout: '2s' }), LockUnavailableError),
    ];
    for (const error of errors) {
      expect(error.message).toContain('WRONGPASS');
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
    }
    await app.close();
  });
});
