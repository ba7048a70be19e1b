import { type Meter, metrics, trace, type Tracer } from '@opentelemetry/api';
import type { LockService } from '../../lock.service.js';
import { invalidOption, parseOptions } from '../../validation/options.js';
import { METRICS_OPTIONS, type MetricsOptions, parseMaxLabelSets } from '../metrics/metrics.options.js';
import { meterLocks } from './meter-locks.js';
import { traceLocks } from './trace-locks.js';

/** Options of {@link observeLocks}. */
export interface OpenTelemetryOptions extends MetricsOptions {
  /** Makes the instruments; `false`: no metrics. Default: the meter `nest-redis-lock` of the registered SDK. */
  readonly meter?: Meter | false | undefined;
  /** Makes the spans; `false`: no spans. Default: the tracer `nest-redis-lock` of the registered SDK. */
  readonly tracer?: Tracer | false | undefined;
}

const LIBRARY = 'nest-redis-lock';

/**
 * Measures and traces locks with OpenTelemetry, from now on. Start the SDK before.
 *
 * The metrics are of all connections. Their attributes are `connection`, `kind` and `template`, never the name of a lock;
 * see docs/observability/metrics.md. The spans are of all locks of the process: one for each acquisition, and one for
 * each hold, both children of the span that is active in the call that acquires; see docs/observability/traces.md.
 * What a meter or tracer throws goes to OpenTelemetry's `diag`, and changes nothing.
 *
 * @param locks A service made by `forConnection()` limits the metrics to its connection.
 * @returns A function that stops both. Spans that have not ended end with it.
 * @throws LockOptionsError for an invalid option.
 *
 * @example
 * const stop = observeLocks(locks);
 */
export const observeLocks = (locks: LockService, options?: OpenTelemetryOptions): (() => void) => {
  const { meter, tracer, maxLabelSets } = parseOpenTelemetryOptions(options);
  const stops: (() => void)[] = [];
  if (meter) stops.push(meterLocks(locks, meter, maxLabelSets));
  if (tracer) stops.push(traceLocks(tracer));
  return () => stops.forEach((stop) => stop());
};

interface Observers {
  readonly meter: Meter | undefined;
  readonly tracer: Tracer | undefined;
  readonly maxLabelSets: number;
}

/** @throws LockOptionsError that names option and value. */
const parseOpenTelemetryOptions = (options: unknown): Observers => {
  const given = parseOptions(options, [...METRICS_OPTIONS, 'meter', 'tracer'], { of: 'observeLocks' });
  return {
    meter: given.meter === false ? undefined : parseMeter(given.meter),
    tracer: given.tracer === false ? undefined : parseTracer(given.tracer),
    maxLabelSets: parseMaxLabelSets(given.maxLabelSets),
  };
};

const parseMeter = (meter: unknown = metrics.getMeter(LIBRARY)): Meter => {
  if (has<Meter>(meter, 'createHistogram')) return meter;
  throw invalidOption('meter', meter, 'a Meter of @opentelemetry/api, or false');
};

const parseTracer = (tracer: unknown = trace.getTracer(LIBRARY)): Tracer => {
  if (has<Tracer>(tracer, 'startSpan')) return tracer;
  throw invalidOption('tracer', tracer, 'a Tracer of @opentelemetry/api, or false');
};

const has = <T>(value: unknown, method: keyof T & string): value is T =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
