import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  type InjectionToken,
  Logger,
  Module,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { invalidOption } from '../validation/options.js';
import { assertFactory } from './async-options.js';
import { getLocksToken } from './locks-token.js';
import { copiesText } from '../validation/own-place.js';
import { isPlainObject } from './options/connection.options.js';
import { LockExceptionFilter } from './lock-exception.filter.js';
import { LockService } from '../lock.service.js';
import { LockedExecutor } from '../decorators/locked.executor.js';
import { RequestInterceptor } from '../decorators/request.interceptor.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { RedisLockLifecycle } from './redis-lock.lifecycle.js';
import { parseModuleOptions, type RedisLockOptions } from './options/redis-lock.options.js';
import { refuseOtherThanOptions } from './options/misplaced-options.js';
import { createConnections, loadRuntimes, type OwnedRuntime } from './runtime.factory.js';
import type { LockSettings } from './options/lock-settings.js';
import { HTTP_ERRORS, LOCK_CONNECTIONS, LOCK_OPTIONS, LOCK_SETTINGS } from './redis-lock.constants.js';
import { type Scheduler, systemScheduler, WATCHDOG_SCHEDULER } from '../time/scheduler.js';

/** Options that must be known before the module's options are, so they are given beside `useFactory` and its kind. */
export interface RedisLockModuleExtras {
  /** Whether all modules can inject `LockService` without importing this one. Default: true. */
  isGlobal?: boolean;
  /** Whether lock errors are mapped to HTTP for the whole application. Default: true. */
  exceptionFilter?: boolean;
  /**
   * Names of `connections` that `@InjectLocks(name)` injects. Only for `forRootAsync`: `forRoot` knows them. Default:
   * none.
   */
  connectionNames?: readonly string[];
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

const providers: Provider[] = [
  { provide: WATCHDOG_SCHEDULER, useValue: systemScheduler },
  { provide: LOCK_SETTINGS, inject: [LOCK_OPTIONS], useFactory: parseModuleOptions },
  {
    provide: LOCK_CONNECTIONS,
    inject: [LOCK_SETTINGS, WATCHDOG_SCHEDULER],
    useFactory: async (settings: LockSettings, clock: Scheduler): Promise<ConnectionRegistry<OwnedRuntime>> =>
      createConnections(settings, clock, await loadRuntimes(settings, HTTP_ERRORS)),
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

/** The services of these connections, which `@InjectLocks(name)` injects. */
const locksOf = (names: unknown): readonly (Provider & { readonly provide: InjectionToken })[] => {
  if (!Array.isArray(names) || names.includes(undefined))
    throw invalidOption('connectionNames', names, "a list of names, such as ['billing']");
  return [...new Set<string>(names)].map((name) => ({
    provide: getLocksToken(name),
    inject: [LOCK_CONNECTIONS],
    useFactory: (connections: ConnectionRegistry): LockService => {
      const runtime = connections.named(name);
      return new LockService(runtime, connections, [runtime]);
    },
  }));
};

/** Nest itself would only say that a dependency is missing, and ask for the import of this module. */
const warnOfCopies = (): void => {
  const fault = copiesText();
  if (fault !== undefined) new Logger('RedisLockModule').warn(fault);
};

const namesIn = ({ connections }: RedisLockOptions): readonly string[] =>
  isPlainObject(connections) ? Object.keys(connections) : [];

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<ReturnedLockOptions>({
  moduleName: 'RedisLock',
  optionsInjectionToken: LOCK_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createRedisLockOptions')
  .setExtras<RedisLockModuleExtras>(
    { isGlobal: true, exceptionFilter: true, connectionNames: [] },
    (definition, { isGlobal = true, exceptionFilter = true, connectionNames = [] }) => {
      warnOfCopies();
      const named = locksOf(connectionNames);
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
          ...named,
        ],
        // For providers of this package that the application registers itself: the settings for a LockExceptionFilter,
        // the connections for a LockHealthIndicator.
        exports: [LockService, LockedExecutor, LOCK_SETTINGS, LOCK_CONNECTIONS, ...named.map(({ provide }) => provide)],
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
  /** All options have defaults: without any, locks are stored at `redis://127.0.0.1:6379`. */
  static override forRoot(...given: [options?: RedisLockOptions & RedisLockModuleExtras]): DynamicModule {
    const [options = {}] = given;
    if (given.length > 0) refuseOtherThanOptions(given[0]);
    // The builder's type is that of factory results, which excludes the extras.
    return super.forRoot({ connectionNames: namesIn(options), ...options } as ReturnedLockOptions);
  }

  /**
   * As {@link forRoot}, with options from `useFactory`, `useClass` or `useExisting`.
   * @throws LockOptionsError unless one of them is given.
   */
  static override forRootAsync(
    options: ConfigurableModuleAsyncOptions<ReturnedLockOptions, 'createRedisLockOptions'> &
      Partial<RedisLockModuleExtras>,
  ): DynamicModule {
    assertFactory(options, 'RedisLockModule');
    return super.forRootAsync(options);
  }
}
