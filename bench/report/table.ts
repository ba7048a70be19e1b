import { type LibraryRoles, type Row, ratio, baselineRow, spreadOfMetric } from '../figures/results.js';
import type { Spread } from '../figures/statistics.js';
import type { Metric, Scenario } from '../scenarios/scenario.js';

/** Formats a Markdown table with columns as wide as their text. */
export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...lines.map((line) => line[column] ?? '')].map(length)),
  );
  const write = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - length(cell)))).join(' | ')} |`;
  return [write(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.map(write)].join('\n');
}

const length = (text: string): number => Array.from(text).length;

/** Formats the median and, if rounds differ, min..max. */
export function spreadText(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return '–';
  const { median, min, max } = spread;
  const text = (value: number): string => value.toLocaleString('en-US', fractionDigits(digits));
  return min === max ? text(median) : `${text(median)} (${text(min)}..${text(max)})`;
}

const fractionDigits = (digits: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
});

const RATIO_DIGITS = 2;

/** Formats the results of all libraries in one scenario. */
export function scenarioTable({ metrics }: Scenario, rows: readonly Row[], roles: LibraryRoles): string {
  const head = ['library', ...metrics.flatMap(headsOf)];
  const lines = rows.map((row) => [row.title, ...metrics.flatMap((metric) => cellsOf(metric, row, rows, roles))]);
  return markdownTable(head, lines);
}

function headsOf({ title, unit, overLimit = false }: Metric): string[] {
  const head = unit === undefined ? title : `${title}, ${unit}`;
  return overLimit ? [head, `${title} over the limit`] : [head];
}

function cellsOf(metric: Metric, row: Row, rows: readonly Row[], roles: LibraryRoles): string[] {
  const value = spreadText(spreadOfMetric(row, metric.key), metric.digits ?? 0);
  if (!metric.overLimit) return [value];
  const limit = baselineRow(rows, 'limit', { metric, size: row.size, roles });
  return [value, limit ? spreadText(ratio(row, limit, metric.key), RATIO_DIGITS) : '–'];
}
