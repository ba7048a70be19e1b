import { type OpenMetricsContentType, register, type Registry, validateMetricName } from 'prom-client';
import { LockOptionsError } from '../../errors.js';
import type { LockService } from '../../lock.service.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { LockMetrics } from '../metrics/lock-metrics.js';
import { METRICS_OPTIONS, type MetricsOptions, parseMaxLabelSets } from '../metrics/metrics.options.js';
import { metricObjects, type NamedMetric } from './metric-objects.js';

/** A registry of prom-client, in either format. */
export type LockMetricsRegistry = Registry | Registry<OpenMetricsContentType>;

/** Options of {@link collectLockMetrics}. */
export interface PrometheusOptions extends MetricsOptions {
  /** Where the metrics are registered. Default: prom-client's global `register`. */
  readonly registry?: LockMetricsRegistry | undefined;
  /** The beginning of the name of each metric. Default: `nest_redis_lock_`. */
  readonly prefix?: string | undefined;
}

const OPTIONS = namesOf<PrometheusOptions>()(...METRICS_OPTIONS, 'registry', 'prefix');
const DEFAULT_PREFIX = 'nest_redis_lock_';

/**
 * Registers the metrics of locks. They are counted from now on, for all connections, and read when they are scraped.
 * Their labels are `connection`, `kind` and `template`, never the name of a lock; see docs/observability/metrics.md.
 *
 * @param locks A service made by `forConnection()` limits them to its connection.
 * @returns A function that stops counting and removes the metrics from the registry.
 * @throws LockOptionsError for an invalid option, and if the registry has metrics of these names.
 *
 * @example
 * const stop = collectLockMetrics(locks, { registry });
 */
export const collectLockMetrics = (locks: LockService, options?: PrometheusOptions): (() => void) => {
  const { registry, prefix, maxLabelSets } = parsePrometheusOptions(options);
  const metrics = new LockMetrics(locks, maxLabelSets);
  const registered: NamedMetric[] = [];
  const stop = (): void => {
    metrics.stop();
    for (const { name, metric } of registered.splice(0)) {
      // Another may have taken its place, after a `registry.clear()`.
      if (registry.getSingleMetric(name) === metric) registry.removeSingleMetric(name);
    }
  };
  try {
    for (const { name, metric } of metricObjects(metrics, prefix)) {
      if (registry.getSingleMetric(name)) throw registeredTwice(name);
      registry.registerMetric(metric);
      registered.push({ name, metric });
    }
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
};

const registeredTwice = (name: string): LockOptionsError =>
  new LockOptionsError(
    `registry has a metric named "${name}" already: call what the earlier collectLockMetrics() returned, also if its application failed to start or was not closed, or give another registry or prefix`,
    { details: { option: 'registry' } },
  );

/** @throws LockOptionsError that names option and value. */
export const parsePrometheusOptions = (
  options: unknown,
): { readonly registry: LockMetricsRegistry; readonly prefix: string; readonly maxLabelSets: number } => {
  const {
    registry = register,
    prefix = DEFAULT_PREFIX,
    maxLabelSets,
  } = parseOptions(options, OPTIONS, { of: 'collectLockMetrics' });
  if (!isRegistry(registry)) throw invalidOption('registry', registry, 'a Registry of prom-client');
  if (typeof prefix !== 'string' || !validateMetricName(`${prefix}held`))
    throw invalidOption('prefix', prefix, 'the beginning of a metric name: letters, digits, _ and :');
  return { registry, prefix, maxLabelSets: parseMaxLabelSets(maxLabelSets) };
};

/** Tells a registry by the methods that are used: the application's prom-client may be another copy. */
const isRegistry = (value: unknown): value is LockMetricsRegistry =>
  typeof value === 'object' &&
  value !== null &&
  ['registerMetric', 'getSingleMetric', 'removeSingleMetric'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
