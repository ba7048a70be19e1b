import { ConfigurableModuleBuilder, type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { invalidOption } from '../validation/options.js';
import { LockExceptionFilter } from './lock-exception.filter.js';
import { LockService } from '../lock.service.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { RequestInterceptor } from '../decorators/request.interceptor.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { RedisLockLifecycle } from './redis-lock.lifecycle.js';
import { parseModuleOptions, type RedisLockOptions } from './options/redis-lock.options.js';
import { createConnections, type OwnedRuntime } from './runtime.factory.js';
import type { LockSettings } from './options/lock-settings.js';
import { LOCK_CONNECTIONS, LOCK_SETTINGS } from './redis-lock.constants.js';
import { type Scheduler, systemScheduler, WATCHDOG_SCHEDULER } from '../time/scheduler.js';

/** Options that must be known before the module's options are, so they are given beside `useFactory` and its kind. */
export interface RedisLockModuleExtras {
  /** Whether all modules can inject `LockService` without importing this one. Default: true. */
  isGlobal?: boolean;
  /** Whether lock errors are mapped to HTTP for the whole application. Default: true. */
  exceptionFilter?: boolean;
}

/** Options that a factory may return: all except those that Nest needs before it runs. */
export type ReturnedLockOptions = RedisLockOptions & {
  /** Give it beside `useFactory`, `useClass` or `useExisting`. */
  readonly [Extra in keyof RedisLockModuleExtras]?: never;
};

/** The class for `forRootAsync({ useClass })`. */
export interface RedisLockOptionsFactory {
  createRedisLockOptions(): ReturnedLockOptions | Promise<ReturnedLockOptions>;
}

const LOCK_OPTIONS = Symbol('LOCK_OPTIONS');

const providers: Provider[] = [
  { provide: WATCHDOG_SCHEDULER, useValue: systemScheduler },
  { provide: LOCK_SETTINGS, inject: [LOCK_OPTIONS], useFactory: parseModuleOptions },
  {
    provide: LOCK_CONNECTIONS,
    inject: [LOCK_SETTINGS, WATCHDOG_SCHEDULER],
    useFactory: (settings: LockSettings, clock: Scheduler): ConnectionRegistry<OwnedRuntime> =>
      createConnections(settings, clock),
  },
  {
    provide: LockService,
    inject: [LOCK_CONNECTIONS],
    useFactory: (connections: ConnectionRegistry): LockService => new LockService(connections.base, connections),
  },
  {
    provide: LockedExecutor,
    inject: [LOCK_CONNECTIONS],
    useFactory: (connections: ConnectionRegistry): LockedExecutor => new LockedExecutor(connections),
  },
  RedisLockLifecycle,
];

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ReturnedLockOptions>({
  moduleName: 'RedisLock',
  optionsInjectionToken: LOCK_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createRedisLockOptions')
  .setExtras<RedisLockModuleExtras>(
    { isGlobal: true, exceptionFilter: true },
    (definition, { isGlobal = true, exceptionFilter = true }) => {
      const filter: Provider[] = exceptionFilter ? [{ provide: APP_FILTER, useClass: LockExceptionFilter }] : [];
      return {
        ...definition,
        global: isGlobal,
        imports: [...(definition.imports ?? []), DiscoveryModule],
        providers: [
          ...(definition.providers ?? []),
          ...providers,
          { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
          ...filter,
        ],
        // The settings are for a LockExceptionFilter that the application binds itself.
        exports: [LockService, LockedExecutor, LOCK_SETTINGS],
      };
    },
  )
  .build();

/**
 * Registers {@link LockService} and makes `@Locked` work in the whole application. Import it first: modules imported
 * before it shut down after it.
 */
@Module({})
export class RedisLockModule extends ConfigurableModuleClass {
  /** @param options All have defaults: without any, locks are stored at `redis://127.0.0.1:6379`. */
  static override forRoot(...given: [options?: RedisLockOptions & RedisLockModuleExtras]): DynamicModule {
    const [options] = given;
    // The builder's type is that of factory results, which excludes the extras.
    if (options) return super.forRoot(options as ReturnedLockOptions);
    if (given.length === 0) return super.forRoot({});
    throw invalidOption('the options of RedisLockModule', options, 'an object, such as {}');
  }
}
