import { Histogram, type HistogramConfiguration } from 'prom-client';
import { type DURATIONS, seconds } from '../metrics/metrics.js';
import type { LockSeries } from '../metrics/lock-series.js';

type Values = Awaited<ReturnType<Histogram['get']>>;
type Value = Values['values'][number];

/**
 * A histogram whose durations were counted elsewhere, since `observe()` would cost an acquisition more than a hand-over
 * does.
 */
export class LockHistogram extends Histogram {
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
