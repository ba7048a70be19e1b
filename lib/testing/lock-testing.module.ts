import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { RedisLockOptions } from '../module/options/redis-lock.options.js';
import { RedisLockModule, type RedisLockModuleExtras } from '../module/redis-lock.module.js';
import { claim, LockTesting } from './lock-testing.js';
import { LOCK_CONNECTIONS } from '../module/redis-lock.constants.js';
import type { LockTestingOptions } from './lock-testing.options.js';

/** In place of `RedisLockModule` in tests: the same providers, with locks in memory, and {@link LockTesting}. */
@Module({})
export class LockTestingModule {
  /**
   * @param options Those of `RedisLockModule.forRoot()`, such as `keyPrefix`; those about servers do not matter.
   * @param testing The locks of the test, or the options to create them with.
   * @throws LockOptionsError
   */
  static forRoot(
    options: RedisLockOptions & RedisLockModuleExtras = {},
    testing: LockTesting | LockTestingOptions = {},
  ): DynamicModule {
    const locks = testing instanceof LockTesting ? testing : new LockTesting(testing);
    const { providers = [], exports = [], ...definition } = RedisLockModule.forRoot(options);
    return {
      ...definition,
      module: LockTestingModule,
      // The last provider of a token is the one that Nest uses.
      providers: [
        ...providers,
        ...(locks.providers as readonly Provider[]),
        {
          provide: LockTesting,
          inject: [LOCK_CONNECTIONS],
          useFactory: (connections: object): LockTesting => {
            claim(connections, locks);
            return locks;
          },
        },
      ],
      exports: [...exports, LockTesting],
    };
  }
}
