/** @module nest-redis-lock/prometheus */
export { collectLockMetrics, type LockMetricsRegistry, type PrometheusOptions } from './collect-lock-metrics.js';
export { LockPrometheusModule } from './lock-prometheus.module.js';
export type { MetricsOptions } from '../metrics/metrics.options.js';
