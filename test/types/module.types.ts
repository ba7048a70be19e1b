/** Places of the module's options that the compiler must refuse or accept; see `locked.types.ts`. */
import { RedisLockModule, type RedisLockOptions } from 'nest-redis-lock';
import type { RedisLockOptionsFactory } from 'nest-redis-lock/advanced';

declare const given: RedisLockOptions;

class Factory implements RedisLockOptionsFactory {
  createRedisLockOptions() {
    return { connection: 'redis://shop' };
  }
}

class MisplacedFilter {
  createRedisLockOptions() {
    return { exceptionFilter: false };
  }
}

export const accepted: readonly unknown[] = [
  RedisLockModule.forRoot(),
  RedisLockModule.forRoot({ isGlobal: false, exceptionFilter: false, wait: '3s' }),
  RedisLockModule.forRootAsync({ exceptionFilter: false, isGlobal: true, useFactory: () => ({ wait: '3s' }) }),
  RedisLockModule.forRootAsync({ useFactory: async () => given }),
  RedisLockModule.forRootAsync({ useFactory: (): RedisLockOptions => given }),
  RedisLockModule.forRootAsync({ exceptionFilter: false, useClass: Factory }),
];

/** D33: options that Nest needs before the factory runs. */
export const refused: readonly unknown[] = [
  // @ts-expect-error it stands beside useFactory
  RedisLockModule.forRootAsync({ useFactory: () => ({ wait: '3s', exceptionFilter: false }) }),
  // @ts-expect-error it stands beside useFactory
  RedisLockModule.forRootAsync({ useFactory: async () => ({ isGlobal: false }) }),
  // @ts-expect-error it stands beside useClass
  RedisLockModule.forRootAsync({ useClass: MisplacedFilter }),
  // @ts-expect-error it stands beside useExisting
  RedisLockModule.forRootAsync({ useExisting: MisplacedFilter }),
];

/** D35: an environment variable that may be missing is no connection. */
export const missing: readonly RedisLockOptions[] = [
  // @ts-expect-error it may be undefined
  { connection: process.env['REDIS_URL'] },
  // @ts-expect-error it is undefined
  { connections: undefined },
];
