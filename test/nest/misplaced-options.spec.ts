import { Test } from '@nestjs/testing';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { createLocks, LockOptionsError, LockService, RedisLockModule, type RedisLockOptions } from 'nest-redis-lock';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { caught, thrownBy } from '../kit/caught.js';

const URL_TEXT = 'redis://:s3cret@127.0.0.1';

describe('D63: What is given in place of options', () => {
  const client = new Redis({ lazyConnect: true, password: 's3cret' });
  afterAll(() => client.disconnect());

  it.each<[string, unknown]>([
    ['text', URL_TEXT],
    ['a list', [URL_TEXT]],
    ['a client', client],
  ])('is refused as %s, without a word of it, wherever it is given', async (kind, given) => {
    const options = given as RedisLockOptions;
    const forRootAsync = (): Promise<unknown> =>
      Test.createTestingModule({ imports: [RedisLockModule.forRootAsync({ useFactory: () => options })] }).compile();
    for (const error of [
      thrownBy(() => RedisLockModule.forRoot(options), LockOptionsError),
      await caught(forRootAsync(), LockOptionsError),
      await caught(createLocks(options), LockOptionsError),
    ]) {
      expect(error.message).toBe(
        `the options of RedisLockModule must be an object, not ${kind}; give a URL or a client as { connection: … }`,
      );
      expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
    }
  });
});

describe('D63: An option by its name in other libraries', () => {
  it.each([
    [{ prefix: 'lock:' }, 'it is called keyPrefix here'],
    [{ lockKeyPrefix: 'lock:' }, 'it is called keyPrefix here'],
    [{ retryCount: 3 }, 'give wait, the longest time to wait, in place of attempts and pauses'],
    [{ retryDelay: 200 }, 'give wait, the longest time to wait, in place of attempts and pauses'],
    [{ ttl: 5000 }, 'lease is given where something is locked; holds without one have renewedLease, renewed'],
  ])('%j of the module is refused with the name here', (options, remedy) => {
    const [name = ''] = Object.keys(options);
    const { message } = thrownBy(() => parseModuleOptions(options as RedisLockOptions), LockOptionsError);
    expect(message).toBe(`unknown option "${name}" of RedisLockModule; ${remedy}`);
  });

  it.each([
    [{ ttl: 5000 }, 'it is called lease here'],
    [{ duration: 5000 }, 'it is called lease here'],
    [{ retryCount: 3 }, 'give wait, the longest time to wait'],
    [{ prefix: 'lock:' }, 'known options are '],
  ])('%j of a lock is refused with the name here', async (options, remedy) => {
    const app = await Test.createTestingModule({
      imports: [RedisLockModule.forRoot({ connection: 'memory' })],
    }).compile();
    const locks = app.get(LockService);
    const { message } = await caught(locks.acquire('a', options as object), LockOptionsError);
    expect(message).toContain(remedy);
    await app.close();
  });
});
