import { type LibraryRoles, type Row, ratio, baselineRow, spreadOfMetric } from '../figures/results.js';
import type { Spread } from '../figures/statistics.js';
import type { Bar, Metric, Scenario } from '../scenarios/scenario.js';
import { spreadText } from './table.js';

/** The result of this library for one bar. */
export interface Judgement {
  readonly scenario: string;
  readonly bar: string;
  /** The row that was compared with; empty if there was none. */
  readonly against: string;
  readonly value: Spread | undefined;
  readonly digits: number;
  /** Distance from the bar: in percent of it, or the value itself if the bar is 0. 0 if the bar was met. */
  readonly missedBy: number | undefined;
  readonly allowsNothing: boolean;
  readonly whyMissed: string | undefined;
}

const COMPARED_DIGITS = 2;

export function judge(scenario: Scenario, rows: readonly Row[], roles: LibraryRoles): Judgement[] {
  return (scenario.bars ?? []).map((bar) => judgeBar(bar, scenario, rows, roles));
}

function judgeBar(bar: Bar, { id, metrics }: Scenario, rows: readonly Row[], roles: LibraryRoles): Judgement {
  const metric = metrics.find(({ key }) => key === bar.metric);
  if (!metric) throw new Error(`${id} has a bar for '${bar.metric}', which it does not measure`);
  const ours = rows.find(({ library, size }) => library === roles.ours && (bar.size ?? size) === size);
  const compared = ours && compare(bar, metric, ours, rows, roles);
  const value = compared?.value;
  const isRatio = (bar.over ?? 'itself') !== 'itself';
  return {
    scenario: id,
    bar: bar.text,
    against: compared?.against ?? '',
    value,
    digits: isRatio ? COMPARED_DIGITS : (metric.digits ?? 0),
    missedBy: value && missedBy(bar, value.median),
    whyMissed: bar.whyMissed,
    allowsNothing: bar.atMost === 0,
  };
}

interface Compared {
  readonly value: Spread | undefined;
  readonly against: string;
}

function compare(
  { over = 'itself' }: Bar,
  metric: Metric,
  ours: Row,
  rows: readonly Row[],
  roles: LibraryRoles,
): Compared {
  if (over === 'itself') return { value: spreadOfMetric(ours, metric.key), against: '' };
  const other =
    typeof over === 'object'
      ? rows.find(({ library, size }) => library === ours.library && size === over.size)
      : baselineRow(rows, over, { metric, size: ours.size, roles });
  if (!other) return { value: undefined, against: '' };
  const theirs = spreadText(spreadOfMetric(other, metric.key), metric.digits ?? 0);
  return { value: ratio(ours, other, metric.key), against: `${other.title}: ${theirs}` };
}

function missedBy({ atMost, atLeast }: Bar, value: number): number {
  if (atMost !== undefined && value > atMost) return atMost === 0 ? value : (100 * (value - atMost)) / atMost;
  if (atLeast !== undefined && value < atLeast) return (100 * (atLeast - value)) / atLeast;
  return 0;
}

export function verdictText({ missedBy: missed, value, allowsNothing }: Judgement): string {
  if (missed === undefined || value === undefined) return 'not measured';
  if (missed === 0) return 'met';
  return allowsNothing ? `missed by ${missed}` : `missed by ${missed.toFixed(missed < 10 ? 1 : 0)} %`;
}
