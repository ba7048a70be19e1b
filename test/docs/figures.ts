import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baselineRow, type LibraryRoles, type Row, spreadOfMetric } from '../../bench/figures/results.js';
import type { Metric } from '../../bench/scenarios/scenario.js';
import type { Row as ChaosRow } from '../chaos/table.js';
import type { SuiteResult } from '../engines/report.js';
import { pageOf as enginesPage } from '../engines/table.js';
import { SHARES_FILE, type ShareRow } from '../interop/share-results.js';

export const ROOT = join(__dirname, '../..');

/** A page of the repository, each white space as one space. */
export const pageText = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replaceAll(/\s+/g, ' ');

const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

interface BenchResults {
  readonly roles: Omit<LibraryRoles, 'unobserved' | 'observed'>;
  readonly setUps: readonly {
    readonly node: string;
    readonly placement: string;
    readonly measured: readonly { readonly id: string; readonly rows: readonly Row[] }[];
  }[];
}

interface DeadlockResults {
  readonly minutes: number;
  readonly resolvedMs: { readonly two: number; readonly three: number };
  readonly ordered: { readonly acquisitions: number; readonly reports: number };
}

/** A text with figures that stands on a page, made from committed results. */
export interface Claim {
  readonly page: string;
  readonly source: string;
  readonly text: string;
}

const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

const RATE: Metric = { key: 'perSecond', title: '', best: 'highest' };
const LATENCY: Metric = { key: 'p50', title: '', unit: 'µs', best: 'lowest' };

const benchClaims = (): readonly Claim[] => {
  const source = 'bench/results.json';
  const { roles: named, setUps } = read(source) as BenchResults;
  const roles: LibraryRoles = { unobserved: '', observed: [], ...named };
  const setUp = setUps.find(({ node, placement }) => node.startsWith('v20.') && placement === 'pinned');
  const rowsOf = (scenario: string): readonly Row[] => {
    const rows = setUp?.measured.find(({ id }) => id === scenario)?.rows;
    if (rows === undefined) throw new Error(`${source} has no ${scenario}`);
    return rows;
  };
  const show = (row: Row | undefined, { key, unit }: Metric): string => {
    const value = row && spreadOfMetric(row, key)?.median;
    return value === undefined ? '–' : [grouped(value), unit].filter(Boolean).join(' ');
  };
  const claim = (what: string, scenario: string, metric: Metric): Claim => {
    const [rows, of] = [rowsOf(scenario), { metric, size: 0, roles }];
    const peer = baselineRow(rows, 'best peer', of);
    const name = peer?.title.replace(/^@.*\//, '') ?? '';
    const ours = rows.find(({ library }) => library === roles.ours);
    const limit = baselineRow(rows, 'limit', of);
    const cells = [what, show(ours, metric), `${show(peer, metric)} (${name})`, show(limit, metric)];
    return { page: 'README.md', source, text: `| ${cells.join(' | ')} |` };
  };
  return [
    claim('100 loops on one lock in one process, acquisitions/s', 'S3', RATE),
    claim('four processes of 25 loops on one lock, acquisitions/s', 'S4', RATE),
    claim('256 locks, acquire and release, pairs/s', 'S2', RATE),
    claim('one free lock, acquire and release, median', 'S1', LATENCY),
  ];
};

const deadlockClaims = (): readonly Claim[] => {
  const source = 'test/deadlock/results.json';
  const { minutes, ordered, resolvedMs } = read(source) as DeadlockResults;
  const unordered = `${ordered.reports} in ${minutes} minutes, ${grouped(ordered.acquisitions)} acquisitions in one order`;
  const resolved = `${grouped(resolvedMs.two)} ms for two processes, ${grouped(resolvedMs.three)} ms for three`;
  return [
    { page: 'docs/safety/promises.md', source, text: unordered },
    { page: 'docs/decisions/deadlocks.md', source, text: resolved },
  ];
};

/** The cases of the chaos runs in which a master is replaced, as the page on fail-over names them. */
const FAIL_OVERS = [
  ['F20t', 'sentinel', 'master killed'],
  ['F20', 'sentinel', 'master killed, with restart guard'],
  ['F23', 'cluster', 'master killed, with restart guard'],
  ['F9', 'sentinel', 'master frozen, with restart guard'],
  ['F9', 'cluster', 'master frozen, with restart guard'],
] as const;

const failOverClaims = (rows: readonly ChaosRow[], source: string): readonly Claim[] =>
  FAIL_OVERS.map(([id, topology, event]) => {
    const row = rows.find((some) => some.id === id && some.topology === topology);
    const longest = row === undefined ? 'not measured' : `${grouped(row.worstHandOver)} ms`;
    return { page: 'docs/safety/fail-over.md', source, text: `| ${[id, event, topology, longest].join(' | ')} |` };
  });

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

const shareClaims = (): readonly Claim[] => {
  const { rows } = read(SHARES_FILE) as { readonly rows: readonly ShareRow[] };
  return rows.map(({ version, grants, sectionMs, parts }) => {
    const [java, ...nodes] = parts;
    if (java === undefined) throw new Error(`${SHARES_FILE} has a row without Java`);
    const pauses = [java.longestPause, Math.max(...nodes.map(({ longestPause }) => longestPause))];
    const shares = [java.turns, java.sections, java.held].map(percent);
    const cells = [`${sectionMs} ms`, version, grants, ...shares, ...pauses.map((pause) => `${grouped(pause)} ms`)];
    return { page: 'docs/redisson.md', source: SHARES_FILE, text: `| ${cells.join(' | ')} |` };
  });
};

const chaosClaims = (): readonly Claim[] => {
  const source = 'test/chaos/results/long.json';
  const { rows } = read(source) as { readonly rows: readonly ChaosRow[] };
  const sum = (of: (row: ChaosRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const acquisitions = sum((row) => row.acquisitions);
  const [violations, keys, waiters] = [
    sum((row) => row.violations),
    sum(({ leakedKeys }) => leakedKeys),
    sum(({ stuckWaiters }) => stuckWaiters),
  ];
  const late = rows.flatMap(({ id, leastLead = 0 }) => (id === 'F29' ? [-leastLead] : []));
  const page = 'docs/safety/promises.md';
  const safe = `${violations} violations, ${keys} leaked keys, ${waiters} stuck waiters`;
  return [
    { page, source, text: `${rows.length} cases, ${grouped(acquisitions)} acquisitions: ${safe}` },
    {
      page,
      source,
      text: `(${grouped(Math.min(...late))} to ${grouped(Math.max(...late))} ms in the four topologies)`,
    },
    ...rows.map((row) => ({
      page: 'docs/safety/faults.md',
      source,
      text: `| ${row.id} ${row.title} | ${row.topology} | ${row.runs} | ${row.acquisitions} |`,
    })),
    ...failOverClaims(rows, source),
  ];
};

const engineClaims = (): readonly Claim[] => {
  const source = 'test/engines/results.json';
  const lines = enginesPage(read(source) as readonly SuiteResult[]).split('\n');
  const rows = lines.filter((line) => line.startsWith('| ') && !line.includes('---'));
  return rows.map((text) => ({ page: 'docs/engines.md', source, text }));
};

/** All figures of README and pages that a program has measured and stored. */
export const claims: readonly Claim[] = [
  ...benchClaims(),
  ...deadlockClaims(),
  ...chaosClaims(),
  ...shareClaims(),
  ...engineClaims(),
];
