import { Redis } from 'ioredis';
import { createLocks, LockOptionsError, type RedisLockOptions } from '../../lib/standalone.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { driverNamed } from '../../lib/backend/driver/drivers.js';
import { plainTarget, targetOf } from '../../lib/backend/plain-target.js';
import { isCluster, redisTarget } from '../../lib/backend/redis-target.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { thrownBy } from '../kit/caught.js';

const parse = (options: object) => parseModuleOptions(options);
const refusal = (options: object): LockOptionsError => thrownBy(() => parse(options), LockOptionsError);

describe('The option renewIn', () => {
  it.each<[object, number | undefined]>([
    [{}, undefined],
    [{ renewIn: undefined }, undefined],
    [{ renewIn: 'main' }, undefined],
    [{ renewIn: 'worker' }, 60_000],
    [{ renewIn: 'worker', renewedLease: '2m' }, 120_000],
    [{ renewIn: { worker: '5m' } }, 300_000],
    [{ renewIn: { worker: 30_000 } }, 30_000],
  ])('of %j lets the event loop stand for %s ms', (options, longest) => {
    expect(parse(options).renewIn?.longest).toBe(longest);
  });

  it.each<[unknown, string]>([
    ['thread', 'renewIn must be "main", "worker", or an object such as { worker: "1m" }, not "thread"'],
    [true, 'renewIn must be "main", "worker", or an object such as { worker: "1m" }, not true'],
    [null, 'renewIn must be "main", "worker", or an object such as { worker: "1m" }, not null'],
    [{ worker: '29s' }, 'renewIn.worker must be'],
    [{ worker: Number.POSITIVE_INFINITY }, 'renewIn.worker must be'],
    [{}, 'renewIn.worker must be'],
    [{ thread: '1m' }, 'unknown option "thread" of renewIn'],
  ])('is refused as %j', (renewIn, message) => {
    expect(refusal({ renewIn }).message).toContain(message);
  });

  it('is refused where no other thread can reach the locks', () => {
    for (const options of [{ connection: 'memory' }, { connections: { default: 'redis://one', tests: 'memory' } }]) {
      expect(refusal({ ...options, renewIn: 'worker' })).toMatchObject({
        message: expect.stringContaining('renewIn needs a connection to Redis, not "memory"'),
        details: { option: 'renewIn' },
      });
    }
  });

  it('is refused with a driver of the application', () => {
    const driver = { ...driverNamed('ioredis') };
    expect(refusal({ renewIn: 'worker', driver }).message).toContain('renewIn and driver contradict each other');
    expect(parse({ renewIn: 'worker', driver: 'ioredis' }).renewIn).toBeDefined();
  });

  it.each<[string, RedisLockOptions['connection'], string]>([
    ['natMap', { host: 'one', natMap: () => null, password: 's3cret' }, 'natMap'],
    ['a check of TLS', { host: 'one', tls: { checkServerIdentity: () => undefined }, password: 's3cret' }, 'tls'],
    ['natMap of a cluster', { cluster: ['redis://:s3cret@one'], natMap: () => null }, 'natMap'],
  ])('is refused with a function as %s, without a password in the text', (_, connection, option) => {
    const { message } = refusal({ connection, renewIn: 'worker' });
    expect(message).toContain(`the connection has "${option}" with a function in it`);
    expect(message).not.toContain('s3cret');
  });

  it('is refused with a clock of the application', () => {
    const settings = parse({ renewIn: 'worker' });
    expect(() => createRuntime(settings, new ManualClock())).toThrow('renewIn needs the clock of the process');
  });

  it('is refused before anything is sent', async () => {
    await expect(createLocks({ connection: 'memory', renewIn: 'worker' })).rejects.toThrow(LockOptionsError);
  });
});

describe('The connection that a worker thread is given', () => {
  it('of a client has its address and login, and none of its functions', () => {
    const client = new Redis({ host: 'one', port: 7, username: 'me', password: 'p', db: 3, lazyConnect: true });
    const plain = plainTarget(redisTarget(client));
    expect(structuredClone(plain)).toEqual(plain);
    const { options, driver } = targetOf(plain);
    expect(options).toMatchObject({ host: 'one', port: 7, username: 'me', password: 'p', db: 3 });
    expect(driver.name).toBe('ioredis');
    client.disconnect();
  });

  it('of a cluster has its servers, their login, and where they are reached from here', () => {
    const natMap = { '10.0.0.1:6379': { host: 'one', port: 7 } };
    const given = redisTarget({
      cluster: ['rediss://me:p@one:7', { host: 'two', port: 8 }],
      natMap,
      keyPrefix: 'app:',
    });
    const target = targetOf(structuredClone(plainTarget(given)));
    if (!isCluster(target) || !isCluster(given)) throw new Error('It is a cluster');
    expect(target.seeds).toEqual(['one:7', 'two:8']);
    expect(target.options).toMatchObject({ username: 'me', password: 'p', tls: {}, keyPrefix: 'app:' });
    expect(target.connectionTo('two:8').options).toMatchObject(given.connectionTo('two:8').options);
    expect(target.reachable('10.0.0.1', 6379)).toBe('one:7');
  });

  it('of Sentinels has their addresses and the name of the master', () => {
    const given = { sentinels: [{ host: 'one', port: 7 }], name: 'shop', sentinelPassword: 'p' };
    expect(targetOf(structuredClone(plainTarget(redisTarget(given)))).options).toMatchObject(given);
  });
});
