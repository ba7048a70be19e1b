import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { assertFactory } from '../../module/async-options.js';
import {
  collectLockMetrics,
  type LockMetricsRegistry,
  parsePrometheusOptions,
  type PrometheusOptions,
} from './collect-lock-metrics.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<PrometheusOptions>({
  moduleName: 'LockPrometheus',
})
  .setClassMethodName('forRoot')
  .build();

/** The module that counts in a registry, by the prefix of its metrics. */
const counting = new WeakMap<LockMetricsRegistry, Map<string, LockPrometheusModule>>();

/**
 * {@link collectLockMetrics} for the application's `LockService`, from its start to its shutdown. Of a `RedisLockModule`
 * that is not global, name it in `imports` of `forRootAsync`. In a registry with metrics of another `LockPrometheusModule`
 * it takes their place: an application that failed to start, or a test that did not close its module, has left them.
 */
@Module({})
export class LockPrometheusModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  private readonly stop: () => void;
  private isStarted = false;

  constructor(
    @Inject(LockService) locks: LockService,
    @Inject(MODULE_OPTIONS_TOKEN) options: PrometheusOptions | undefined,
  ) {
    super();
    const { registry, prefix } = parsePrometheusOptions(options);
    const byPrefix = counting.get(registry) ?? new Map<string, LockPrometheusModule>();
    counting.set(registry, byPrefix);
    byPrefix.get(prefix)?.giveWay(prefix);
    this.stop = collectLockMetrics(locks, options);
    byPrefix.set(prefix, this);
  }

  /** @param options All have defaults: without any, metrics are in the global registry of prom-client. */
  static override forRoot(options: PrometheusOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws LockOptionsError unless one of `useFactory`, `useClass` and `useExisting` is given. */
  static override forRootAsync(options: ConfigurableModuleAsyncOptions<PrometheusOptions>): DynamicModule {
    assertFactory(options, 'LockPrometheusModule');
    return super.forRootAsync(options);
  }

  onModuleInit(): void {
    this.isStarted = true;
  }

  onApplicationShutdown(): void {
    this.isStarted = false;
    this.stop();
  }

  private giveWay(prefix: string): void {
    this.stop();
    if (!this.isStarted) return;
    new Logger(LockPrometheusModule.name).warn(
      `The metrics "${prefix}…" of an application that was not closed are replaced in their registry; ` +
        'close that application, or give each a registry or a prefix of its own',
    );
  }
}
