import type { Figures, Metric, Baseline } from '../scenarios/scenario.js';
import { type Spread, median, spreadOf } from './statistics.js';

/** The results of one library in one scenario, for one size. */
export interface Row {
  readonly library: string;
  readonly title: string;
  readonly size: number;
  /** Figures in the order of the rounds; empty for a round that ended with an error. */
  readonly rounds: readonly Figures[];
  /** Errors of rounds without figures. */
  readonly errors: readonly string[];
}

/** Names of the libraries that have a role of their own in the comparison. All others are peers. */
export interface LibraryRoles {
  readonly ours: string;
  readonly limit: string;
  readonly redisson: string;
  /** This library as it was before. */
  readonly before: string;
  /** Others that are no peers. */
  readonly references: readonly string[];
  /** This library before it could be observed. */
  readonly unobserved: string;
  /** This library with something attached. Measured in all rounds, as {@link unobserved} is. */
  readonly observed: readonly string[];
}

export function spreadOfMetric({ rounds }: Row, metric: string): Spread | undefined {
  return spreadOf(valuesOf(rounds, metric));
}

const valuesOf = (rounds: readonly Figures[], metric: string): number[] =>
  rounds.map((figures) => figures[metric] ?? Number.NaN);

/** Ratio of one row to another of the same size, taken in each round. */
export function ratio(row: Row, over: Row, metric: string): Spread | undefined {
  const under = valuesOf(over.rounds, metric);
  return spreadOf(valuesOf(row.rounds, metric).map((value, round) => value / (under[round] ?? Number.NaN)));
}

/** Another library that a bar compares with. */
export type LibraryBaseline = Extract<Baseline, 'limit' | 'best peer' | 'redisson' | 'before'>;

/** The row of another library that a bar compares with; undefined if it was not measured. */
export function baselineRow(
  rows: readonly Row[],
  over: LibraryBaseline,
  { metric, size, roles }: { readonly metric: Metric; readonly size: number; readonly roles: LibraryRoles },
): Row | undefined {
  const alike = rows.filter((row) => row.size === size);
  if (over !== 'best peer') return alike.find(({ library }) => library === roles[over]);
  const others = [roles.ours, roles.limit, roles.before, roles.unobserved, ...roles.observed, ...roles.references];
  return best(
    alike.filter(({ library }) => !others.includes(library)),
    metric,
  );
}

function best(rows: readonly Row[], metric: Metric): Row | undefined {
  const sign = metric.best === 'highest' ? -1 : 1;
  const measured = rows
    .map((row) => ({ row, value: sign * median(valuesOf(row.rounds, metric.key)) }))
    .filter(({ value }) => !Number.isNaN(value));
  return measured.toSorted((one, other) => one.value - other.value)[0]?.row;
}
