import { Test } from '@nestjs/testing';
import type { RedisOptions } from 'ioredis';
import { Locked, LockOptionsError, RedisLockModule, type RedisLockOptions } from 'nest-redis-lock';
import { KNOWN_OPTIONS } from '../../lib/backend/driver/server-options.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { caught, thrownBy } from '../kit/caught.js';
import { redisOptions } from './redis-options.js';

/** The error of options from JavaScript, or from code with a wrong type. */
const refusal = (options: unknown): LockOptionsError =>
  thrownBy(() => parseModuleOptions(options as RedisLockOptions), LockOptionsError);

const FROM_ENVIRONMENT = process.env['NEST_REDIS_LOCK_NO_SUCH_VARIABLE'];
const MASTERS = { nodes: [1, 2, 3].map((port) => `redis://127.0.0.1:${port}`) };

describe('A connection that is missing', () => {
  it.each([
    ['connection', { connection: FROM_ENVIRONMENT }],
    ['connection', { connection: FROM_ENVIRONMENT, redLock: MASTERS }],
    ['connections', { connections: FROM_ENVIRONMENT }],
    ['redLock', { redLock: FROM_ENVIRONMENT }],
  ])('D35: is refused where the key %s is there but undefined', (option, options) => {
    const error = refusal(options);
    expect(error.message).toBe(
      `${option} is undefined, as if an environment variable were not set; ` +
        'give it a value, or omit it to connect to redis://127.0.0.1:6379',
    );
    expect(error.details).toEqual({ option });
  });

  it('D35: is refused where a factory returns it, and where it returns nothing', async () => {
    const compileWith = (useFactory: () => unknown) =>
      Test.createTestingModule({
        imports: [RedisLockModule.forRootAsync({ useFactory: useFactory as () => RedisLockOptions })],
      }).compile();
    const error = await caught(
      compileWith(async () => ({ connection: FROM_ENVIRONMENT })),
      LockOptionsError,
    );
    expect(error.message).toContain('connection is undefined');
    const nothing = await caught(
      compileWith(() => FROM_ENVIRONMENT),
      LockOptionsError,
    );
    expect(nothing.message).toBe('the options of RedisLockModule must be an object, such as {}, not undefined');
  });

  it('is not missed by a method of kind redLock, which locks on the masters', async () => {
    class Seats {
      @Locked('seat', { kind: 'redLock' })
      async take(): Promise<void> {}
    }
    const imports = [RedisLockModule.forRoot({ redLock: MASTERS, probe: false })];
    const starting = await Test.createTestingModule({ imports, providers: [Seats] }).compile();
    await expect(starting.init()).resolves.toBe(starting);
    await starting.close();
  });

  it('D35: is refused where forRoot is called with undefined options', () => {
    const { message } = thrownBy(() => RedisLockModule.forRoot(undefined), LockOptionsError);
    expect(message).toBe('the options of RedisLockModule must be an object, such as {}, not undefined');
  });

  it.each([
    ['a host that is undefined', { host: FROM_ENVIRONMENT, port: 6379 }, '"host": undefined'],
    ['a host that is empty', { host: '' }, '"host": ""'],
    ['a path that is undefined', { path: FROM_ENVIRONMENT }, '"path": undefined'],
    ['Sentinels that are undefined', { sentinels: FROM_ENVIRONMENT, name: 'shop' }, '"sentinels": undefined'],
    [
      'a Sentinel whose host is undefined',
      { sentinels: [{ host: 's1' }, { host: FROM_ENVIRONMENT }], name: 'shop' },
      '"sentinels[1].host": undefined',
    ],
  ])('D35: is refused as ioredis options with %s', (_, connection, found) => {
    const { message } = refusal({ connection });
    expect(message).toContain(`connection has ${found}, as if an environment variable were not set`);
    expect(refusal({ connections: { billing: connection } }).message).toContain(found);
    expect(refusal({ redLock: { nodes: [...MASTERS.nodes, connection] } }).message).toMatch(/undefined|""|Sentinels/);
  });

  it.each<[string, RedisLockOptions]>([
    ['no options', {}],
    ['other options', { wait: '1s' }],
    ['ioredis options without an address', { connection: { db: 2 } }],
    ['a port', { connection: { port: 6380 } }],
  ])('D35: is the default with %s', (_, options) => {
    const byDefault = { host: '127.0.0.1', port: 6379, db: 0 };
    expect(redisOptions(options)).toEqual(options.connection ?? byDefault);
  });

  it('D35: is not used with several connections', () => {
    const several = { connections: { default: 'redis://shop' }, connection: FROM_ENVIRONMENT, redLock: undefined };
    expect(redisOptions(several as RedisLockOptions)).toMatchObject({ host: 'shop' });
    const host = { host: 'shop', path: undefined, sentinels: null };
    expect(redisOptions({ connection: host as object })).toBe(host);
  });
});

describe('The options of a connection', () => {
  it.each([
    [
      { socket: { host: 'redis', port: 6379 } },
      'has "socket", which is no option of a connection; give a URL as text, { host',
    ],
    [{ url: 'redis://redis' }, 'has "url", which is no option of a connection; give a URL as text'],
    [{ hots: 'redis' }, 'has "hots", which is no option of a connection; did you mean "host"?'],
    [
      { host: 'redis', Password: 's3cret' },
      'has "Password", which is no option of a connection; did you mean "password"?',
    ],
    [{ host: 'redis', ttl: 5 }, 'has "ttl", which is no option of a connection; leave it out, or give a client'],
    [
      { cluster: ['redis://c1'], redisOptions: { pasword: 's3cret' } },
      'has redisOptions with "pasword", which is no option of a connection; did you mean "password"?',
    ],
  ])('D35: %j are refused: %s', (connection, why) => {
    const { message } = refusal({ connection });
    expect(message).toContain(`connection ${why}`);
    expect(message).not.toContain('s3cret');
  });

  it('D35: are all those that ioredis knows', () => {
    type Known = RedisOptions extends infer Options ? (Options extends unknown ? keyof Options : never) : never;
    const missing: readonly Exclude<Known, (typeof KNOWN_OPTIONS)[number]>[] = [];
    // The compiler refuses this line if ioredis has an option that is missing in the list.
    missing satisfies readonly never[];
    for (const option of KNOWN_OPTIONS.filter((name) => !['host', 'path', 'sentinels', 'role'].includes(name))) {
      const connection = { host: 'redis', [option]: undefined };
      expect(redisOptions({ connection })).toBe(connection);
    }
  });
});
