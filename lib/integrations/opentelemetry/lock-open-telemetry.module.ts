import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { assertFactory } from '../../module/async-options.js';
import { observeLocks, type OpenTelemetryOptions } from './observe-locks.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<OpenTelemetryOptions>({
  moduleName: 'LockOpenTelemetry',
})
  .setClassMethodName('forRoot')
  .build();

/**
 * {@link observeLocks} for the application's `LockService`, from its start to its shutdown. Of a `RedisLockModule` that
 * is not global, name it in `imports` of `forRootAsync`.
 */
@Module({})
export class LockOpenTelemetryModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  private readonly stop: () => void;

  constructor(
    @Inject(LockService) locks: LockService,
    @Inject(MODULE_OPTIONS_TOKEN) options: OpenTelemetryOptions | undefined,
  ) {
    super();
    this.stop = observeLocks(locks, options);
  }

  /** @param options All have defaults: without any, the meter and tracer are those of the registered SDK. */
  static override forRoot(options: OpenTelemetryOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws LockOptionsError unless one of `useFactory`, `useClass` and `useExisting` is given. */
  static override forRootAsync(options: ConfigurableModuleAsyncOptions<OpenTelemetryOptions>): DynamicModule {
    assertFactory(options, 'LockOpenTelemetryModule');
    return super.forRootAsync(options);
  }

  onApplicationShutdown(): void {
    this.stop();
  }
}
