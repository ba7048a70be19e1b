import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { assertFactory } from '../../module/async-options.js';

/** A module that observes the locks of the application. */
export interface ObservingModule<O> {
  new (locks: LockService, options: O | undefined): OnModuleInit & OnApplicationShutdown;
  /** @param options All have defaults. */
  forRoot(options?: O): DynamicModule;
  /** @throws LockOptionsError unless one of `useFactory`, `useClass` and `useExisting` is given. */
  forRootAsync(options: ConfigurableModuleAsyncOptions<O>): DynamicModule;
}

/**
 * The base of a module that observes the application's `LockService` from its start to its shutdown.
 * @param observe Begins, and returns what ends it. `isRunning`: whether the application has started and not ended.
 */
export const observingModule = <O extends object>(
  name: string,
  observe: (locks: LockService, options: O | undefined, isRunning: () => boolean) => () => void,
): ObservingModule<O> => {
  const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<O>({ moduleName: name })
    .setClassMethodName('forRoot')
    .build();

  class Observing extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
    private readonly stop: () => void;
    private isRunning = false;

    constructor(@Inject(LockService) locks: LockService, @Inject(MODULE_OPTIONS_TOKEN) options: O | undefined) {
      super();
      this.stop = observe(locks, options, () => this.isRunning);
    }

    static override forRoot(options = {} as O): DynamicModule {
      return super.forRoot(options);
    }

    static override forRootAsync(options: ConfigurableModuleAsyncOptions<O>): DynamicModule {
      assertFactory(options, name);
      return super.forRootAsync(options);
    }

    onModuleInit(): void {
      this.isRunning = true;
    }

    onApplicationShutdown(): void {
      this.isRunning = false;
      this.stop();
    }
  }
  return Observing;
};
