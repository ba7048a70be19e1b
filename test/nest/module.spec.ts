import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { LockOptionsError, LockService, RedisLockModule, type RedisLockOptions } from 'nest-redis-lock';
import type { RedisLockOptionsFactory } from 'nest-redis-lock/advanced';
import type { LockSettings } from '../../lib/module/options/lock-settings.js';
import { LOCK_SETTINGS } from '../../lib/module/redis-lock.constants.js';
import { LockOpenTelemetryModule } from 'nest-redis-lock/opentelemetry';
import { LockPrometheusModule } from 'nest-redis-lock/prometheus';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { start } from './applications.js';
import { caught } from '../kit/caught.js';

@Injectable()
class Config implements RedisLockOptionsFactory {
  readonly locks: RedisLockOptions = { connection: 'memory', keyPrefix: 'configured:' };

  createRedisLockOptions(): RedisLockOptions {
    return this.locks;
  }
}

@Module({ providers: [Config], exports: [Config] })
class ConfigModule {}

@Injectable()
class Consumer {
  constructor(readonly locks: LockService) {}
}

@Module({ providers: [Consumer], exports: [Consumer] })
class FeatureModule {}

const application = async (
  ...imports: NonNullable<Parameters<typeof Module>[0]['imports']>
): Promise<TestingModule> => {
  const module = await Test.createTestingModule({ imports }).compile();
  return module.init();
};

describe('RedisLockModule.forRoot()', () => {
  it('has locks on redis://127.0.0.1:6379 without any options', async () => {
    const module = await Test.createTestingModule({ imports: [RedisLockModule.forRoot()] }).compile();
    const settings = module.get<LockSettings>(LOCK_SETTINGS);
    expect(settings).toMatchObject({
      target: { kind: 'redis', servers: { options: { host: '127.0.0.1', port: 6379 } } },
      keyPrefix: '',
    });
  });

  it('provides one LockService to every module', async () => {
    const app = await application(FeatureModule, RedisLockModule.forRoot({ connection: 'memory' }));
    expect(app.get(Consumer, { strict: false }).locks).toBe(app.get(LockService));
    await app.close();
  });

  it('provides it only to the modules that import it, with isGlobal: false', async () => {
    const local = RedisLockModule.forRoot({ connection: 'memory', isGlobal: false });
    await expect(application(FeatureModule, local)).rejects.toThrow("can't resolve dependencies of the Consumer");
    @Module({ imports: [local], providers: [Consumer] })
    class LockingModule {}
    const app = await application(LockingModule);
    await expect(app.get(Consumer, { strict: false }).locks.withLock('a', () => 'done')).resolves.toBe('done');
    await app.close();
  });

  it('refuses to be imported twice', async () => {
    const twice = [
      RedisLockModule.forRoot({ connection: 'memory' }),
      RedisLockModule.forRoot({ connection: 'memory' }),
    ];
    const { message } = await caught(application(...twice), LockOptionsError);
    expect(message).toBe('RedisLockModule.forRoot() is imported twice; import it once, or set isGlobal: false');
  });

  it('is not imported twice by two modules that import the same', async () => {
    const locking = RedisLockModule.forRoot({ connection: 'memory' });
    @Module({ imports: [locking] })
    class One {}
    @Module({ imports: [locking] })
    class Other {}
    const app = await application(One, Other);
    await expect(app.get(LockService).withLock('a', () => 'done')).resolves.toBe('done');
    await app.close();
  });

  it('may stand beside others that are not global, each with locks of its own', async () => {
    const consumerIn = (keyPrefix: string) => {
      @Module({
        imports: [RedisLockModule.forRoot({ connection: 'memory', keyPrefix, isGlobal: false })],
        providers: [{ provide: keyPrefix, useExisting: LockService }],
      })
      class LockingModule {}
      return LockingModule;
    };
    const app = await application(
      RedisLockModule.forRoot({ connection: 'memory' }),
      FeatureModule,
      consumerIn('one:'),
      consumerIn('other:'),
    );
    const [one, other] = ['one:', 'other:'].map((prefix) => app.get<LockService>(prefix, { strict: false }));
    const { locks } = app.get(Consumer, { strict: false });
    expect([one, other, locks].map((service) => service?.getLock('a').name)).toEqual(['one:a', 'other:a', 'a']);
    await one?.withLock('a', async () => {
      await expect(other?.tryAcquire('a')).resolves.not.toBeNull();
      await expect(locks.tryAcquire('a')).resolves.not.toBeNull();
    });
    await app.close();
  });
});

describe.each([
  ['RedisLockModule', RedisLockModule],
  ['LockPrometheusModule', LockPrometheusModule],
  ['LockOpenTelemetryModule', LockOpenTelemetryModule],
] as const)('D55: %s.forRootAsync()', (name, module) => {
  it.each([[], [undefined], [null], [{}], ['redis://x'], [{ imports: [] }], [{ useFactory: undefined }]])(
    'is refused with %j',
    (...options: unknown[]) => {
      const make = () => Reflect.apply(module.forRootAsync, module, options) as unknown;
      expect(make).toThrow(LockOptionsError);
      expect(make).toThrow(
        `the options of ${name}.forRootAsync() must be an object with useFactory or useClass or useExisting, not`,
      );
    },
  );
});

describe('RedisLockModule.forRootAsync()', () => {
  it.each([
    ['useClass', RedisLockModule.forRootAsync({ useClass: Config })],
    ['useExisting', RedisLockModule.forRootAsync({ imports: [ConfigModule], useExisting: Config })],
    [
      'useFactory',
      RedisLockModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: (config: Config) => config.locks,
      }),
    ],
    [
      'an asynchronous useFactory',
      RedisLockModule.forRootAsync({ useFactory: async () => new Config().createRedisLockOptions() }),
    ],
  ])('takes its options from %s', async (_, locking) => {
    const app = await application(locking, FeatureModule);
    const { locks } = app.get(Consumer, { strict: false });
    await expect(locks.withLock('order', (hold) => hold.name)).resolves.toBe('configured:order');
    await app.close();
  });

  it('is not global with isGlobal: false', async () => {
    const local = RedisLockModule.forRootAsync({ isGlobal: false, useClass: Config });
    await expect(application(FeatureModule, local)).rejects.toThrow("can't resolve dependencies of the Consumer");
  });

  it('checks the options that it is given', async () => {
    const locking = RedisLockModule.forRootAsync({ useFactory: () => ({ connection: 'memory', wait: -1 }) });
    await expect(caught(application(locking), LockOptionsError)).resolves.toMatchObject({
      details: { option: 'wait', value: -1 },
    });
  });

  it('rejects with the original error of a factory that fails', async () => {
    const failure = new Error('no configuration');
    const locking = RedisLockModule.forRootAsync({ useFactory: () => Promise.reject(failure) });
    await expect(application(locking)).rejects.toBe(failure);
  });
});

describe('WATCHDOG_SCHEDULER', () => {
  it('may be replaced, and then is the clock of leases, waits and renewals', async () => {
    const clock = new ManualClock();
    const app = await start({}, { connection: 'memory', renewedLease: '30s' }, clock);
    const lock = app.get(LockService).getLock('order');
    const hold = await lock.acquire();
    await clock.advance(9_999);
    await expect(lock.remainingLease()).resolves.toBe(20_001);
    await clock.advance(1);
    await expect(lock.remainingLease()).resolves.toBe(30_000);
    await clock.advance(3_600_000);
    expect(() => hold.assertHeld()).not.toThrow();
    await hold.release();
    const leased = await lock.acquire({ lease: '5s' });
    await clock.advance(5_000);
    expect(leased.signal.aborted).toBe(true);
    await leased.release();
    await app.close();
    expect(clock.pending).toBe(0);
  });
});
