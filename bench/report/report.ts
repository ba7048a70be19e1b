import type { LibraryRoles, Row } from '../figures/results.js';
import type { Scenario } from '../scenarios/scenario.js';
import { type SetUp, setUpTitle } from '../set-up/set-up.js';
import { type Judgement, judge, verdictText } from './bars.js';
import type { MachineFacts } from './machine.js';
import { MOST_FOREIGN_LOAD } from '../set-up/foreign-load.js';
import { mainTable } from './main-figures.js';
import { markdownTable, scenarioTable, spreadText } from './table.js';

export interface Measured {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

/** All that was measured in one set-up. */
export interface SetUpResults {
  readonly setUp: SetUp;
  readonly measured: readonly Measured[];
}

export interface Run {
  readonly date: string;
  readonly commit: string;
  readonly command: string;
  readonly minutes: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly allPeers: boolean;
  readonly facts: MachineFacts;
  readonly setUps: readonly SetUpResults[];
  readonly roles: LibraryRoles;
}

/** The report of a run as Markdown. */
export function markdownReport(run: Run): string {
  return [
    '# Benchmark results',
    `Written by \`${run.command}\` on ${run.date}, at commit ${run.commit}, in ${run.minutes.toFixed(0)} minutes: ` +
      `${run.rounds} rounds of ${run.seconds} s for each library and scenario, interleaved. ${peersText(run)}Figures are ` +
      'medians of the rounds, with min..max; ratios are taken within each round. What each scenario does is also in the ' +
      'README.',
    disturbanceText(run),
    markdownTable(
      ['machine', ''],
      Object.entries(run.facts).map(([name, fact]) => [name, fact]),
    ),
    '## Main figures',
    ...run.setUps.flatMap((results) => mainSection(results)),
    '## Bars',
    ...barsSections(run),
    ...scenariosOf(run).flatMap((scenario) => scenarioSections(scenario, run)),
    '',
  ].join('\n\n');
}

/** How calm the machine was. */
export function disturbanceText({ setUps }: Pick<Run, 'setUps'>): string {
  const rounds = setUps.flatMap(({ measured }) => measured.flatMap(({ rows }) => rows.flatMap((row) => row.rounds)));
  const ended = rounds.filter(({ tries }) => tries !== undefined);
  const repeated = ended.filter(({ tries = 1 }) => tries > 1).length;
  const disturbed = ended.filter(({ foreignLoad = 0 }) => foreignLoad > MOST_FOREIGN_LOAD);
  const loads = disturbed.map(({ foreignLoad = 0 }) => foreignLoad);
  const most = loads.length === 0 ? '' : ` (up to ${Math.max(...loads).toFixed(0)} %)`;
  return (
    `Other programs and the host of the machine may use ${MOST_FOREIGN_LOAD} % of a core during a measurement. ` +
    `${repeated} of ${ended.length} measurements had more and were repeated; ${disturbed.length} had more each time${most}, ` +
    'of which the calmest counts.'
  );
}

function mainSection({ setUp, measured }: SetUpResults): string[] {
  const table = mainTable(measured.map(({ scenario: { id }, rows }) => ({ id, rows })));
  return table === undefined ? [] : [`### ${setUpTitle(setUp)}`, table];
}

const peersText = ({ allPeers }: Run): string =>
  allPeers
    ? ''
    : 'A library that no bar compares with was measured once, for a third of the time, in the first set-up. Set-ups without pinned processes have half of the rounds if there are pinned ones. ';

/**
 * The results that bars are judged by: those with pinned processes, since they vary less, and in the other set-ups
 * scenarios that were not measured so.
 */
export function judgedResults(setUps: readonly SetUpResults[]): readonly SetUpResults[] {
  const isPinned = ({ setUp }: SetUpResults): boolean => setUp.placement === 'pinned';
  const pinned = new Set(setUps.filter(isPinned).flatMap(({ measured }) => measured.map(({ scenario }) => scenario)));
  return setUps
    .map((results) => ({
      ...results,
      measured: results.measured.filter(({ scenario }) => isPinned(results) || !pinned.has(scenario)),
    }))
    .filter(({ measured }) => measured.length > 0);
}

/** The verdicts on all bars, for each set-up that they are judged in. */
export function barsSections({ setUps, roles }: Pick<Run, 'setUps' | 'roles'>): string[] {
  return judgedResults(setUps).flatMap(({ setUp, measured }) => {
    const judgements = measured.flatMap(({ scenario, rows }) => judge(scenario, rows, roles));
    if (judgements.length === 0) return [];
    return [
      `### Bars, ${setUpTitle(setUp)}: ${verdictCount(judgements)}`,
      barsTable(judgements),
      ...reasons(judgements),
    ];
  });
}

function verdictCount(judgements: readonly Judgement[]): string {
  const met = judgements.filter(({ missedBy }) => missedBy === 0).length;
  const missed = judgements.filter(({ missedBy }) => (missedBy ?? 0) > 0).length;
  const unmeasured = judgements.length - met - missed;
  return `${met} met, ${missed} missed${unmeasured === 0 ? '' : `, ${unmeasured} not measured`}.`;
}

function reasons(judgements: readonly Judgement[]): string[] {
  const known = judgements.filter(({ missedBy, whyMissed }) => (missedBy ?? 0) > 0 && whyMissed !== undefined);
  const lines = known.map(({ scenario, bar, whyMissed }) => `* ${scenario}, ${bar}: ${whyMissed}`);
  return lines.length === 0 ? [] : ['Why bars are missed:', lines.join('\n')];
}

function barsTable(judgements: readonly Judgement[]): string {
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

/** The scenarios of all set-ups, each once, in their order. */
function scenariosOf({ setUps }: Run): readonly Scenario[] {
  return [...new Set(setUps.flatMap(({ measured }) => measured.map(({ scenario }) => scenario)))];
}

function scenarioSections(scenario: Scenario, { setUps, roles }: Run): string[] {
  const tables = setUps.flatMap(({ setUp, measured }) => {
    const found = measured.find((each) => each.scenario === scenario);
    return found === undefined ? [] : [`### ${scenario.id}, ${setUpTitle(setUp)}`, ...resultsSection(found, roles)];
  });
  return [`## ${scenario.id}: ${scenario.title}`, scenario.method, ...tables];
}

/** The table of a scenario, and the rounds that failed. */
export function resultsSection({ scenario, rows }: Measured, roles: LibraryRoles): string[] {
  const failed = rows.flatMap(({ title, errors }) => errors.map((error) => `* ${title}: ${error}`));
  const failures = failed.length === 0 ? [] : [`Rounds that failed:\n\n${failed.join('\n')}`];
  return [scenarioTable(scenario, rows, roles), ...failures];
}
