import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type MetricData,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Sample } from './read-metrics.js';

/** Exports when the test asks for it. */
class Reader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Meters whose numbers the test reads. */
export class Meters {
  private readonly reader = new Reader({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  readonly provider = new MeterProvider({ readers: [this.reader] });

  async metrics(): Promise<readonly MetricData[]> {
    const { resourceMetrics, errors } = await this.reader.collect();
    if (errors.length > 0) throw new AggregateError(errors);
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  }

  /** The metrics by the names and labels that the specification of OpenTelemetry gives them for Prometheus. */
  async samples(): Promise<readonly Sample[]> {
    return (await this.metrics()).flatMap(samplesOf);
  }
}

const labelsOf = (attributes: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));

const samplesOf = (metric: MetricData): readonly Sample[] => {
  const { name, unit } = metric.descriptor;
  const base = `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`;
  if (metric.dataPointType === DataPointType.HISTOGRAM)
    return metric.dataPoints.flatMap(({ attributes, value }) => histogramSamples(base, labelsOf(attributes), value));
  if (metric.dataPointType === DataPointType.EXPONENTIAL_HISTOGRAM) throw new Error(`${name} has no buckets`);
  const isCounter = metric.dataPointType === DataPointType.SUM && metric.isMonotonic;
  return metric.dataPoints.map(({ attributes, value }) => ({
    name: isCounter ? `${base}_total` : base,
    labels: labelsOf(attributes),
    value,
  }));
};

const histogramSamples = (name: string, labels: Sample['labels'], histogram: Histogram): readonly Sample[] => {
  const { buckets, count, sum = 0 } = histogram;
  let upTo = 0;
  return [
    ...buckets.counts.map((each, index) => ({
      name: `${name}_bucket`,
      labels: { le: String(buckets.boundaries[index] ?? '+Inf'), ...labels },
      value: (upTo += each),
    })),
    { name: `${name}_sum`, labels, value: sum },
    { name: `${name}_count`, labels, value: count },
  ];
};
