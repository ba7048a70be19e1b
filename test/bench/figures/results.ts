import type { Figures, Metric, Over } from '../scenarios/scenario.js';
import { type Spread, median, spreadOf } from './statistics.js';

/** What one library did in one scenario, with so many of something. */
export interface Row {
  readonly library: string;
  readonly title: string;
  readonly size: number;
  /** In the order of the rounds. Of a round that ended with an error there is nothing. */
  readonly rounds: readonly Figures[];
  /** Why rounds have no figures. */
  readonly errors: readonly string[];
}

/** Which rows are not peers. */
export interface Roles {
  readonly ours: string;
  readonly limit: string;
  readonly redisson: string;
}

export function spreadOfMetric({ rounds }: Row, metric: string): Spread | undefined {
  return spreadOf(valuesOf(rounds, metric));
}

const valuesOf = (rounds: readonly Figures[], metric: string): number[] =>
  rounds.map((figures) => figures[metric] ?? Number.NaN);

/** One row over another of the same size, round by round. */
export function ratio(row: Row, over: Row, metric: string): Spread | undefined {
  const under = valuesOf(over.rounds, metric);
  return spreadOf(valuesOf(row.rounds, metric).map((value, round) => value / (under[round] ?? Number.NaN)));
}

/** The row that a bar compares with; undefined when it was not measured. */
export function rowOver(
  rows: readonly Row[],
  over: Exclude<Over, 'itself'>,
  { metric, size, roles }: { readonly metric: Metric; readonly size: number; readonly roles: Roles },
): Row | undefined {
  const alike = rows.filter((row) => row.size === size);
  if (over === 'limit') return alike.find(({ library }) => library === roles.limit);
  if (over === 'redisson') return alike.find(({ library }) => library === roles.redisson);
  const peers = alike.filter(({ library }) => library !== roles.ours && library !== roles.limit);
  return best(peers, metric);
}

function best(rows: readonly Row[], metric: Metric): Row | undefined {
  const sign = metric.best === 'highest' ? -1 : 1;
  const measured = rows
    .map((row) => ({ row, value: sign * median(valuesOf(row.rounds, metric.key)) }))
    .filter(({ value }) => !Number.isNaN(value));
  return measured.toSorted((one, other) => one.value - other.value)[0]?.row;
}
