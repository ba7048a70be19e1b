import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { assertFactory } from '../../module/async-options.js';
import { collectLockMetrics, type PrometheusOptions } from './collect-lock-metrics.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<PrometheusOptions>({
    moduleName: 'LockPrometheus',
  })
    .setClassMethodName('forRoot')
    .build();

/**
 * {@link collectLockMetrics} for the application's `LockService`, from its start to its shutdown. Of a `RedisLockModule`
 * that is not global, name it in `imports` of `forRootAsync`.
 */
@Module({})
export class LockPrometheusModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  private readonly stop: () => void;

  constructor(
    @Inject(LockService) locks: LockService,
    @Inject(MODULE_OPTIONS_TOKEN) options: PrometheusOptions | undefined,
  ) {
    super();
    this.stop = collectLockMetrics(locks, options);
  }

  /** @param options All have defaults: without any, metrics are in the global registry of prom-client. */
  static override forRoot(options: PrometheusOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws LockOptionsError unless one of `useFactory`, `useClass` and `useExisting` is given. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    assertFactory(options, 'LockPrometheusModule');
    return super.forRootAsync(options);
  }

  onApplicationShutdown(): void {
    this.stop();
  }
}
