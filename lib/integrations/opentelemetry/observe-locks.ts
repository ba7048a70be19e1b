import {
  type BatchObservableResult,
  diag,
  type Meter,
  metrics,
  type Observable,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { LockService } from '../../lock.service.js';
import { LockMetrics } from '../metrics/lock-metrics.js';
import {
  BUCKETS,
  COUNTERS,
  DURATIONS,
  entriesOf,
  GAUGES,
  HANDOVERS,
  type Metric,
  seconds,
  WATCHDOG_LAG,
} from '../metrics/metrics.js';
import type { Channel } from 'node:diagnostics_channel';
import { HOLD, type HoldTrace, WAIT, type WaitTrace } from '../../events/hold-tracing.js';
import { LockSpans } from './lock-spans.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { METRICS_OPTIONS, type MetricsOptions, parseMaxLabelSets } from '../metrics/metrics.options.js';

const NAMESPACE = 'nest_redis_lock';

const instrument = ({ name, help, unit }: Metric): [string, { description: string; unit: string }] => [
  `${NAMESPACE}.${name}`,
  { description: help, unit: unit ?? '1' },
];

/**
 * Makes the instruments. Durations are recorded one by one, as the API demands; all other numbers are read when they
 * are exported.
 * @returns A function that stops it.
 */
const meterLocks = (locks: LockService, meter: Meter, maxLabelSets: number): (() => void) => {
  const advice = { explicitBucketBoundaries: BUCKETS.map(seconds) };
  const histogramOf = (metric: Metric): ReturnType<Meter['createHistogram']> => {
    const [name, options] = instrument(metric);
    return meter.createHistogram(name, { ...options, advice });
  };
  const histograms = { waits: histogramOf(DURATIONS.waits), holds: histogramOf(DURATIONS.holds) };
  const measured = new LockMetrics(locks, maxLabelSets, (which, { labels }, ms) => {
    try {
      histograms[which].record(seconds(ms), { ...labels });
    } catch (error) {
      diag.error('nest-redis-lock: a duration was not recorded', error);
    }
  });
  const counters = entriesOf(COUNTERS).map(
    ([which, metric]) => [which, meter.createObservableCounter(...instrument(metric))] as const,
  );
  const handovers = meter.createObservableCounter(...instrument(HANDOVERS));
  const gauges = entriesOf(GAUGES).map(
    ([which, metric]) => [which, meter.createObservableUpDownCounter(...instrument(metric))] as const,
  );
  const lag = meter.createObservableGauge(...instrument(WATCHDOG_LAG));
  const report = (result: BatchObservableResult): void => {
    for (const { connection, watchdogLag } of measured.measure())
      result.observe(lag, seconds(watchdogLag), { connection });
    for (const series of measured.series) {
      const attributes = { ...series.labels };
      for (const [which, each] of [...counters, ...gauges]) result.observe(each, series[which], attributes);
      for (const [via, count] of entriesOf(series.handovers)) result.observe(handovers, count, { ...attributes, via });
    }
  };
  const observed: Observable[] = [...counters, ...gauges].map(([, each]) => each).concat(handovers, lag);
  meter.addBatchObservableCallback(report, observed);
  return () => {
    meter.removeBatchObservableCallback(report, observed);
    measured.stop();
  };
};

/** Subscribes to a channel. Returns a function that stops it. */
const subscribe = (channel: Channel, listener: (message: unknown) => void): (() => void) => {
  const heard = (message: unknown): void => {
    try {
      listener(message);
    } catch (error) {
      // The channel would make it an uncaught exception of the process.
      diag.error('nest-redis-lock: a span was not made', error);
    }
  };
  channel.subscribe(heard);
  return () => {
    channel.unsubscribe(heard);
  };
};

/**
 * Makes a span of each acquisition, and one of each hold. The beginning of an acquisition is published in the context of
 * its caller; all that follows may run in the context of the caller that released the lock.
 * @returns A function that stops it, and ends the spans that have not ended.
 */
const traceLocks = (tracer: Tracer): (() => void) => {
  const spans = new LockSpans(tracer);
  const stops = [
    subscribe(WAIT.start, (wait) => spans.beginWait(wait as WaitTrace)),
    subscribe(WAIT.asyncEnd, (wait) => spans.endWait(wait as WaitTrace)),
    subscribe(HOLD.start, (hold) => spans.beginHold(hold as HoldTrace)),
    subscribe(HOLD.asyncEnd, (hold) => spans.endHold(hold as HoldTrace)),
  ];
  return () => {
    for (const stop of stops) stop();
    spans.endAll();
  };
};

/** Options of {@link observeLocks}. */
export interface OpenTelemetryOptions extends MetricsOptions {
  /** Makes the instruments; `false`: no metrics. Default: the meter `nest-redis-lock` of the registered SDK. */
  readonly meter?: Meter | false | undefined;
  /** Makes the spans; `false`: no spans. Default: the tracer `nest-redis-lock` of the registered SDK. */
  readonly tracer?: Tracer | false | undefined;
}

const OPTIONS = namesOf<OpenTelemetryOptions>()(...METRICS_OPTIONS, 'meter', 'tracer');

const LIBRARY = 'nest-redis-lock';

/**
 * Measures and traces locks with OpenTelemetry, from now on. Start the SDK before.
 *
 * The metrics are of all connections. Their attributes are `connection`, `kind` and `template`, never the name of a lock;
 * see docs/observability/metrics.md. The spans are of all locks of the process: one for each acquisition, and one for
 * each hold, both children of the span that is active in the call that acquires; see docs/observability/traces.md.
 * Errors of a meter or tracer go to OpenTelemetry's `diag`, and change nothing.
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
  const given = parseOptions(options, OPTIONS, { of: 'observeLocks' });
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
