import { type LibraryRoles, type Row, ratio, spreadOfMetric } from '../figures/results.js';
import { percentile, type Spread, spreadOf } from '../figures/statistics.js';
import type { Metric } from '../scenarios/scenario.js';
import type { Measured } from './report.js';
import { markdownTable, spreadText } from './table.js';

/** The metrics of which the cost is shown, where a scenario has them. */
const SHOWN: readonly string[] = ['p50', 'perSecond', 'clientCpu', 'serverTime', 'commands'];
const RATIO_DIGITS = 3;
const QUARTERS = [0.25, 0.75] as const;

/** What observing costs in one metric: the figure over that of the build that cannot be observed, in each round. */
interface ObservingCost {
  readonly ratio: Spread;
  /** The ratios of the middle half of the rounds. */
  readonly middle: Spread;
}

/** Above 1: it costs something, whether the metric is a time or a rate. */
export function observingCost(row: Row, unobserved: Row, { key, best }: Metric): ObservingCost | undefined {
  const [over, under] = best === 'highest' ? [unobserved, row] : [row, unobserved];
  const all = ratio(over, under, key);
  if (!all) return undefined;
  const ratios = row.rounds.flatMap((_, round) => {
    const each = ratio(roundOf(over, round), roundOf(under, round), key);
    return each ? [each.median] : [];
  });
  const [lower, upper] = QUARTERS.map((share) => percentile(ratios, share));
  return { ratio: all, middle: spreadOf([lower ?? Number.NaN, upper ?? Number.NaN]) ?? all };
}

const roundOf = ({ rounds, ...row }: Row, round: number): Row => ({ ...row, rounds: rounds.slice(round, round + 1) });

/** The cost of observing in each scenario, against the build that cannot be observed. */
export function observingCostTable(measured: readonly Measured[], roles: LibraryRoles): string {
  const lines = measured.flatMap(({ scenario, rows }) => {
    const unobserved = rows.find(({ library }) => library === roles.unobserved);
    const others = rows.filter(({ library }) => library === roles.ours || roles.observed.includes(library));
    const metrics = scenario.metrics.filter(({ key }) => SHOWN.includes(key));
    if (!unobserved) return [];
    return metrics.flatMap((metric) => others.map((row) => lineOf(scenario.id, metric, row, unobserved)));
  });
  return markdownTable(['scenario', 'metric', 'build', 'before', 'now', 'ratio', 'middle half', 'min..max'], lines);
}

function lineOf(scenario: string, metric: Metric, row: Row, unobserved: Row): readonly string[] {
  const { title, unit, digits = 0, key } = metric;
  const cost = observingCost(row, unobserved, metric);
  const figure = (of: Row): string => spreadText(mid(spreadOfMetric(of, key)), digits);
  return [
    scenario,
    unit === undefined ? title : `${title}, ${unit}`,
    row.title,
    figure(unobserved),
    figure(row),
    cost ? spreadText(mid(cost.ratio), RATIO_DIGITS) : '–',
    rangeText(cost?.middle),
    rangeText(cost?.ratio),
  ];
}

const mid = (spread: Spread | undefined): Spread | undefined =>
  spread && { median: spread.median, min: spread.median, max: spread.median };

const rangeText = (spread: Spread | undefined): string =>
  spread ? `${spread.min.toFixed(RATIO_DIGITS)}..${spread.max.toFixed(RATIO_DIGITS)}` : '–';
