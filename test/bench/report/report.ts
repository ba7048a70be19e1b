import type { LibraryRoles, Row } from '../figures/results.js';
import type { Scenario } from '../scenarios/scenario.js';
import { type Judgement, judge, verdictText } from './bars.js';
import type { MachineFacts } from './machine.js';
import { markdownTable, scenarioTable, spreadText } from './table.js';

export interface Measured {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

export interface Run {
  readonly date: string;
  readonly commit: string;
  readonly command: string;
  readonly minutes: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly facts: MachineFacts;
  readonly measured: readonly Measured[];
  readonly roles: LibraryRoles;
}

/** The report of a run as Markdown. */
export function markdownReport(run: Run): string {
  const judgements = run.measured.flatMap(({ scenario, rows }) => judge(scenario, rows, run.roles));
  return [
    '# Benchmark results',
    `Written by \`${run.command}\` on ${run.date}, at commit ${run.commit}, in ${run.minutes.toFixed(0)} minutes: ` +
      `${run.rounds} rounds of ${run.seconds} s for each library and scenario, interleaved. Figures are medians of the ` +
      'rounds, with min..max; ratios are taken within each round. What each scenario does is also in the README.',
    markdownTable(
      ['machine', ''],
      Object.entries(run.facts).map(([name, fact]) => [name, fact]),
    ),
    '## Bars',
    barsTable(judgements),
    ...reasons(judgements),
    ...run.measured.flatMap((measured) => scenarioSection(measured, run.roles)),
    '',
  ].join('\n\n');
}

function reasons(judgements: readonly Judgement[]): string[] {
  const known = judgements.filter(({ missedBy, whyMissed }) => (missedBy ?? 0) > 0 && whyMissed !== undefined);
  const lines = known.map(({ scenario, bar, whyMissed }) => `* ${scenario}, ${bar}: ${whyMissed}`);
  return lines.length === 0 ? [] : ['Why bars are missed:', lines.join('\n')];
}

export function barsTable(judgements: readonly Judgement[]): string {
  return markdownTable(
    ['scenario', 'bar', 'seen', 'compared with', 'result'],
    judgements.map((judgement) => [
      judgement.scenario,
      judgement.bar,
      spreadText(judgement.value, judgement.digits),
      judgement.against,
      verdictText(judgement),
    ]),
  );
}

export function scenarioSection({ scenario, rows }: Measured, roles: LibraryRoles): string[] {
  const failed = rows.flatMap(({ title, errors }) => errors.map((error) => `* ${title}: ${error}`));
  const failures = failed.length === 0 ? [] : [`Rounds that failed:\n\n${failed.join('\n')}`];
  return [`## ${scenario.id}: ${scenario.title}`, scenario.method, scenarioTable(scenario, rows, roles), ...failures];
}
