import { createRequire } from 'node:module';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { Registry } from 'prom-client';
import type * as OpenTelemetry from '../../lib/integrations/opentelemetry/index.js';
import type * as Prometheus from '../../lib/integrations/prometheus/index.js';
import { earlierEntry } from '../set-up/earlier-build.js';
import type { Adapter } from './adapter.js';
import { adapterOf, builtEntry } from './nest-redis-lock.adapter.js';

/** The last commit without life-cycle events, which the cost of observing is compared with. */
export const UNOBSERVED_COMMIT = '4ad69a2';

/** More often than in production, so that measurements have exports. */
const EXPORT_INTERVAL_MS = 1000;

const load = (name: string): unknown => createRequire(import.meta.url)(builtEntry(`${name}.cjs`));

const named = (adapter: Adapter): Adapter => ({ ...adapter, when: 'named' });

export const nestRedisLockUnobserved = named(
  adapterOf('nest-redis-lock without observability', earlierEntry(UNOBSERVED_COMMIT)),
);

export const nestRedisLockPrometheus = named(
  adapterOf('nest-redis-lock with Prometheus', builtEntry(), {
    observe: (locks) => {
      const registry = new Registry();
      const { collectLockMetrics } = load('prometheus') as typeof Prometheus;
      collectLockMetrics(locks, { registry });
      setInterval(() => void registry.metrics(), EXPORT_INTERVAL_MS).unref();
    },
  }),
);

export const nestRedisLockOpenTelemetry = named(
  adapterOf('nest-redis-lock with OpenTelemetry', builtEntry(), {
    observe: (locks) => {
      const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: EXPORT_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_INTERVAL_MS,
      });
      const meter = new MeterProvider({ readers: [reader] }).getMeter('bench');
      const { observeLocks } = load('opentelemetry') as typeof OpenTelemetry;
      observeLocks(locks, { meter, tracer: false });
      // What was exported is kept until then.
      setInterval(() => exporter.reset(), EXPORT_INTERVAL_MS).unref();
    },
  }),
);

export const nestRedisLockRecords = named(
  adapterOf('nest-redis-lock with holder records', builtEntry(), { options: { holderRecords: true } }),
);
