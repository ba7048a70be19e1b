import { type Environment, nameOf } from './environments.js';
import { type CellId, keyOf } from './messages.js';
import type { ProcessReport } from './process.js';

/** The reports of all processes in one environment. */
export interface Column {
  readonly environment: Environment;
  readonly reports: readonly ProcessReport[];
}

interface Row extends CellId {
  readonly marks: readonly string[];
}

/** The results, with a row for each kind, scope, position and backend, and a column for each environment. */
export interface Table {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
  /** Reasons for blanks. The mark of a blank refers to its reason. */
  readonly reasons: readonly string[];
  /** The cells that failed, by error. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
}

export const tableOf = (columns: readonly Column[]): Table => {
  const planned = new Map<string, CellId>();
  const reasons: string[] = [];
  const failures = new Map<string, string[]>();
  const failed = (why: string, where: string): void => void failures.set(why, [...(failures.get(why) ?? []), where]);
  for (const cell of columns.flatMap(({ reports }) => reports.flatMap(({ plan }) => plan))) {
    if (!planned.has(keyOf(cell))) planned.set(keyOf(cell), cell);
    if (cell.reason !== undefined && !reasons.includes(cell.reason)) reasons.push(cell.reason);
  }
  for (const { environment, reports } of columns) {
    for (const problem of reports.flatMap(({ problems }) => problems)) failed(problem, nameOf(environment));
  }
  const markOf = ({ environment, reports }: Column, key: string): string => {
    const reason = reports.flatMap(({ plan }) => plan).find((cell) => keyOf(cell) === key)?.reason;
    if (reason !== undefined) return `– (${reasons.indexOf(reason) + 1})`;
    const result = reports.flatMap(({ results }) => results).find((cell) => keyOf(cell) === key);
    if (result && result.error === undefined) return 'passed';
    failed(result?.error ?? 'there is no result', `${nameOf(environment)}: ${key}`);
    return 'failed';
  };
  const rows = [...planned].map(([key, id]) => ({ ...id, marks: columns.map((column) => markOf(column, key)) }));
  return { rows, columns: columns.map(({ environment }) => nameOf(environment)), reasons, failures };
};

const line = (...fields: readonly string[]): string => `| ${fields.join(' | ')} |`;

/** The table as Markdown. */
export const markdownOf = ({ rows, columns, reasons }: Table): string => {
  const marks = rows.flatMap((row) => row.marks);
  const count = (mark: string): number => marks.filter((other) => other === mark).length;
  const heads = ['handler', 'scope', '`@Locked` stands', 'locks in', ...columns];
  return [
    `${count('passed')} cells passed, ${count('failed')} failed.`,
    '',
    line(...heads),
    line(...heads.map(() => '---')),
    ...rows.map((row) => line(row.kind, row.scope, row.position, row.backend, ...row.marks)),
    '',
    'Above and below: as seen from the decorator of Nest on the same method; alone: there is none.',
    '',
    ...reasons.map((reason, index) => `- (${index + 1}) ${reason}`),
    '',
  ].join('\n');
};
