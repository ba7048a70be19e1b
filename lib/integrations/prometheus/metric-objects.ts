import { Counter, Gauge, Histogram, type HistogramConfiguration, type Metric as MetricObject } from 'prom-client';
import {
  COUNTERS,
  DURATIONS,
  entriesOf,
  GAUGES,
  HANDOVERS,
  LOCK_LABELS,
  type Metric,
  seconds,
  WATCHDOG_LAG,
} from '../metrics/metrics.js';
import type { LockSeries } from '../metrics/lock-series.js';
import type { LockMetrics } from '../metrics/lock-metrics.js';

type Values = Awaited<ReturnType<Histogram['get']>>;
type Value = Values['values'][number];

/**
 * A histogram whose durations were counted elsewhere, since `observe()` would cost an acquisition more than a hand-over
 * does.
 */
class LockHistogram extends Histogram {
  constructor(
    private readonly config: HistogramConfiguration<string>,
    private readonly which: keyof typeof DURATIONS,
    private readonly series: () => Iterable<LockSeries>,
  ) {
    super(config);
  }

  override async get(): Promise<Values> {
    const { name, help } = this.config;
    const values = [...this.series()].flatMap((series) => this.valuesOf(series, name));
    // The declared type has a number for the type of the metric, while registries write it as text.
    return { name, help, type: 'histogram', aggregator: 'sum', values } as unknown as Values;
  }

  /** Asked for by the text of a registry. Not declared by prom-client, whose own shares the labels of several values. */
  getForPromString(): Promise<Values> {
    return this.get();
  }

  private valuesOf({ labels, [this.which]: durations }: LockSeries, name: string): readonly Value[] {
    if (durations.count === 0) return [];
    const buckets = durations.cumulative.map(({ upTo, count }) => ({
      metricName: `${name}_bucket`,
      labels: { le: upTo === Infinity ? '+Inf' : seconds(upTo), ...labels },
      value: count,
    }));
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: { ...labels }, value: seconds(durations.sum) },
      { metricName: `${name}_count`, labels: { ...labels }, value: durations.count },
    ];
  }
}

/** A metric of prom-client that is in no registry yet. */
export interface NamedMetric {
  readonly name: string;
  readonly metric: MetricObject;
}

const labelNames = LOCK_LABELS;

/** Makes the metrics, which read the numbers when they are scraped. */
export const metricObjects = (metrics: LockMetrics, prefix: string): readonly NamedMetric[] => {
  /** `wait.duration` in seconds: `wait_duration_seconds`. */
  const described = ({ name, unit, help }: Metric, suffix = ''): { name: string; help: string; registers: [] } => ({
    name: `${prefix}${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}${suffix}`,
    help,
    registers: [],
  });
  const durations = entriesOf(DURATIONS).map(([which, metric]) => {
    const config = { ...described(metric), labelNames };
    return { name: config.name, metric: new LockHistogram(config, which, () => metrics.series) };
  });
  const counters = entriesOf(COUNTERS).map(([which, metric]) => {
    const config = { ...described(metric, '_total'), labelNames };
    const collect = function (this: Counter): void {
      this.reset();
      for (const { labels, [which]: count } of metrics.series) this.inc({ ...labels }, count);
    };
    return { name: config.name, metric: new Counter({ ...config, collect }) };
  });
  const gauges = entriesOf(GAUGES).map(([which, metric]) => {
    const config = { ...described(metric), labelNames };
    const collect = function (this: Gauge): void {
      metrics.measure();
      this.reset();
      for (const { labels, [which]: now } of metrics.series) this.set({ ...labels }, now);
    };
    return { name: config.name, metric: new Gauge({ ...config, collect }) };
  });
  return [...durations, ...counters, handovers(), ...gauges, watchdogLag()];

  function handovers(): NamedMetric {
    const config = { ...described(HANDOVERS, '_total'), labelNames: [...labelNames, 'via'] };
    const collect = function (this: Counter): void {
      this.reset();
      for (const { labels, handovers: counts } of metrics.series)
        for (const [via, count] of entriesOf(counts)) this.inc({ ...labels, via }, count);
    };
    return { name: config.name, metric: new Counter({ ...config, collect }) };
  }

  function watchdogLag(): NamedMetric {
    const config = { ...described(WATCHDOG_LAG), labelNames: ['connection'] };
    const collect = function (this: Gauge): void {
      this.reset();
      for (const { connection, watchdogLag: lag } of metrics.measure()) this.set({ connection }, seconds(lag));
    };
    return { name: config.name, metric: new Gauge({ ...config, collect }) };
  }
};
