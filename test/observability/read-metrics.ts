import type { LockMetricsRegistry } from 'nest-redis-lock/prometheus';

/** One line of what Prometheus scrapes: `name{label="value"} 3`. */
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus would scrape now. */
export const samplesOf = async (registry: LockMetricsRegistry): Promise<readonly Sample[]> =>
  (await registry.metrics()).split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** The values of one metric that are not 0, by kind, template and what else distinguishes them. */
export const nonZero = (samples: readonly Sample[], metric: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    samples
      .filter(({ name, value }) => name === metric && value !== 0)
      .map(({ labels: { le, kind, template, via }, value }) => [
        [kind, template, via ?? le].filter((label) => label !== undefined).join(' '),
        value,
      ]),
  );
