import { type BatchObservableResult, diag, type Meter, type Observable } from '@opentelemetry/api';
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
export const meterLocks = (locks: LockService, meter: Meter, maxLabelSets: number): (() => void) => {
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
