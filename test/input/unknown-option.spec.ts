import { Test } from '@nestjs/testing';
import {
  Locked,
  lockHandler,
  LockOptionsError,
  LockService,
  RedisLockModule,
  type RedisLockOptions,
  SingleFlight,
} from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { nearestName } from '../../lib/validation/nearest.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { caught, thrownBy } from '../kit/caught.js';
import { start } from '../nest/applications.js';

/** Options from JavaScript, without a check by the compiler. */
const options = (given: object): never => given as never;

describe('An option that does not exist', () => {
  it.each(['exceptionFilter', 'isGlobal'])('D33: %s from a factory is refused with its right place', async (option) => {
    const useFactory = (): RedisLockOptions => options({ connection: 'memory', [option]: false });
    const compiling = Test.createTestingModule({ imports: [RedisLockModule.forRootAsync({ useFactory })] }).compile();
    expect((await caught(compiling, LockOptionsError)).message).toBe(
      `unknown option "${option}" of RedisLockModule; it belongs beside useFactory, useClass or useExisting in ` +
        'forRootAsync(), not in what they return',
    );
  });

  it.each([
    ['password', 'it belongs in connection, such as connection: { host, port, password } or a redis:// URL'],
    ['retryStrategy', 'it belongs in connection, such as connection: { host, port, password } or a redis:// URL'],
    ['lease', 'it belongs where something is locked: @Locked, acquire, withLock'],
    ['preference', 'it belongs where something is locked: @Locked, acquire, withLock'],
    ['conection', 'did you mean "connection"? known options are connection, connections, '],
    ['renewedLeese', 'did you mean "renewedLease"? known options are '],
    ['isglobal', 'known options are connection, '],
    ['colour', 'known options are connection, '],
  ])('D33: %s is refused by the module: %s', (option, remedy) => {
    const { message, details } = thrownBy(() => parseModuleOptions({ [option]: 1 }), LockOptionsError);
    expect(message.startsWith(`unknown option "${option}" of RedisLockModule; ${remedy}`)).toBe(true);
    expect(details).toEqual({ option });
  });

  it.each<[of: string, use: () => unknown]>([
    ['@Locked', () => Locked('order', options({ waitt: 1 }))],
    ['lockHandler', () => lockHandler(() => 'order', options({ waitt: 1 }))],
    ['@SingleFlight', () => SingleFlight('order', options({ waitt: 1 }))],
    ['@LockedCron', () => LockedCron('0 3 * * *', 'order', options({ waitt: 1 }))],
    ['redLock', () => parseModuleOptions({ redLock: options({ waitt: 1 }) })],
    ['handover', () => parseModuleOptions({ handover: options({ waitt: 1 }) })],
    ['replicas', () => parseModuleOptions({ replicas: options({ waitt: 1 }) })],
  ])('D33: is refused with the name of the call: %s', (of, use) => {
    expect(thrownBy(use, LockOptionsError).message).toContain(`unknown option "waitt" of ${of}; `);
  });

  it('D33: is refused by the service with the name of the call', async () => {
    const app = await start({});
    const locks = app.get(LockService);
    const refusals = {
      acquire: await caught(locks.acquire('order', options({ waitt: 1 })), LockOptionsError),
      lock: await caught(locks.getLock('order').acquire(options({ fair: true })), LockOptionsError),
      flight: await caught(
        locks.singleFlight('order', options({ tll: 1 }), () => 1),
        LockOptionsError,
      ),
      semaphore: await caught(locks.getSemaphore('order').trySetPermits(1, options({ tttl: 1 })), LockOptionsError),
    };
    expect(Object.values(refusals).map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'unknown option "waitt" of acquire and tryAcquire; did you mean "wait"? known options are',
      ),
      'unknown option "fair" of acquire and tryAcquire of a lock; it belongs to the lock: locks.getFairLock(name)',
      expect.stringContaining('unknown option "tll" of singleFlight; did you mean "ttl"? known options are'),
      expect.stringContaining('unknown option "tttl" of trySetPermits; did you mean "ttl"? known options are'),
    ]);
    await app.close();
  });
});

describe('The nearest name', () => {
  it.each([
    ['wiat', 'wait'],
    ['Wait', 'wait'],
    ['waits', 'wait'],
    ['leese', 'lease'],
    ['ttl', undefined],
    ['w', undefined],
    ['', undefined],
    ['x'.repeat(1_000_000), undefined],
  ])('D33: of %.20s is %s', (misspelt, name) => {
    expect(nearestName(misspelt, ['lease', 'wait', 'signal'])).toBe(name);
  });
});
