import { Logger, Module } from '@nestjs/common';
import type { LockService } from '../../lock.service.js';
import { observingModule } from '../metrics/observing-module.js';
import {
  collectLockMetrics,
  type LockMetricsRegistry,
  parsePrometheusOptions,
  type PrometheusOptions,
} from './collect-lock-metrics.js';

/** Ends the counting of a module in a registry, by the prefix of its metrics. */
const counting = new WeakMap<LockMetricsRegistry, Map<string, () => void>>();

/** Counts in the place of the module that counts in the same registry under the same prefix, if there is one. */
const takePlace = (
  locks: LockService,
  options: PrometheusOptions | undefined,
  isRunning: () => boolean,
): (() => void) => {
  const { registry, prefix } = parsePrometheusOptions(options);
  const byPrefix = counting.get(registry) ?? new Map<string, () => void>();
  counting.set(registry, byPrefix);
  byPrefix.get(prefix)?.();
  const stop = collectLockMetrics(locks, options);
  byPrefix.set(prefix, () => {
    stop();
    if (!isRunning()) return;
    new Logger(LockPrometheusModule.name).warn(
      `The metrics "${prefix}…" of an application that was not closed are replaced in their registry; ` +
        'close that application, or give each a registry or a prefix of its own',
    );
  });
  return stop;
};

/**
 * {@link collectLockMetrics} for the application's `LockService`, from its start to its shutdown; without options, in the
 * global registry of prom-client. Of a `RedisLockModule` that is not global, name it in `imports` of `forRootAsync`. In a
 * registry with metrics of another `LockPrometheusModule` it takes their place: an application that failed to start, or a
 * test that did not close its module, has left them.
 */
@Module({})
export class LockPrometheusModule extends observingModule<PrometheusOptions>('LockPrometheusModule', takePlace) {}
