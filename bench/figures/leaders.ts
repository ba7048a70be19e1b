import type { Bar, Scenario } from '../scenarios/scenario.js';
import { type LibraryBaseline, type LibraryRoles, type Row, baselineRow } from './results.js';

/** This library in all variants, the limit, and the libraries that bars of the scenario name. */
export function namedLibraries({ bars = [] }: Scenario, roles: LibraryRoles): ReadonlySet<string> {
  const named = bars.flatMap((bar) => {
    const over = libraryOf(bar);
    return over === undefined || over === 'best peer' ? [] : roles[over];
  });
  return new Set([roles.ours, roles.limit, roles.unobserved, ...roles.observed, ...named]);
}

/** The libraries that bars name, and the best peer of each bar that compares with one. */
export function leaders(scenario: Scenario, rows: readonly Row[], roles: LibraryRoles): ReadonlySet<string> {
  const { metrics, bars = [] } = scenario;
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const best = bars.flatMap((bar) => {
    const metric = metrics.find(({ key }) => key === bar.metric);
    if (metric === undefined || libraryOf(bar) !== 'best peer') return [];
    return sizes.flatMap((size) => baselineRow(rows, 'best peer', { metric, size, roles })?.library ?? []);
  });
  return new Set([...namedLibraries(scenario, roles), ...best]);
}

function libraryOf({ over = 'itself' }: Bar): LibraryBaseline | undefined {
  return typeof over === 'object' || over === 'itself' ? undefined : over;
}
