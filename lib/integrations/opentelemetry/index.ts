/** @module nest-redis-lock/opentelemetry */
export { observeLocks, type OpenTelemetryOptions } from './observe-locks.js';
export { LockOpenTelemetryModule } from './lock-open-telemetry.module.js';
export type { MetricsOptions } from '../metrics/metrics.options.js';
