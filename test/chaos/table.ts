import type { TopologyName } from './topologies/topology.js';
import type { Verdict } from './verdict.js';

/** The results of all runs of one case on one topology. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly topology: TopologyName;
  readonly runs: number;
  readonly acquisitions: number;
  readonly grants: number;
  readonly violations: number;
  readonly leakedKeys: number;
  readonly stuckWaiters: number;
  /** The longest hand-over, ms. */
  readonly worstHandOver: number;
  /** The shortest lead of a signal over the end of a lease, ms; absent if no holder with a lease lost it. */
  readonly leastLead?: number;
}

export const rowOf = (id: string, title: string, topology: TopologyName, verdicts: readonly Verdict[]): Row => {
  const sum = (of: (verdict: Verdict) => number): number => verdicts.reduce((total, each) => total + of(each), 0);
  const leads = verdicts.flatMap(({ leastLead }) => (leastLead === undefined ? [] : [leastLead]));
  return {
    id,
    title,
    topology,
    runs: verdicts.length,
    acquisitions: sum(({ acquisitions }) => acquisitions),
    grants: sum(({ grants }) => grants),
    violations: sum(({ violations }) => violations.length),
    leakedKeys: sum(({ leakedKeys }) => leakedKeys.length),
    stuckWaiters: sum(({ stuckWaiters }) => stuckWaiters),
    worstHandOver: Math.round(Math.max(0, ...verdicts.map(({ worstHandOver }) => worstHandOver))),
    ...(leads.length === 0 ? {} : { leastLead: Math.round(Math.min(...leads)) }),
  };
};

const HEAD = [
  'fault',
  'topology',
  'runs',
  'acquisitions',
  'grants',
  'violations',
  'leaked keys',
  'stuck waiters',
  'worst hand-over, ms',
  'least lead of a loss, ms',
];

/** Markdown: a line for each fault on each topology, and the totals. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = rows.map((row) => [
    `${row.id} ${row.title}`,
    row.topology,
    row.runs,
    row.acquisitions,
    row.grants,
    row.violations,
    row.leakedKeys,
    row.stuckWaiters,
    row.worstHandOver,
    row.leastLead ?? '–',
  ]);
  const total = (of: (row: Row) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const last = [
    '**all**',
    '',
    total(({ runs }) => runs),
    total(({ acquisitions }) => acquisitions),
    total(({ grants }) => grants),
    total(({ violations }) => violations),
    total(({ leakedKeys }) => leakedKeys),
    total(({ stuckWaiters }) => stuckWaiters),
    '',
    '',
  ];
  const lines = [HEAD, HEAD.map(() => '---'), ...cells, last];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
};
