import { setUpTitle } from '../set-up/set-up.js';
import { observingCostTable } from './observing-cost.js';
import type { Run } from './report.js';
import { markdownTable } from './table.js';

/** The tables of what observing costs, one for each set-up. */
export const observingSections = ({ setUps, roles }: Pick<Run, 'setUps' | 'roles'>): string[] =>
  setUps.flatMap(({ setUp, measured }) => [`## ${setUpTitle(setUp)}`, observingCostTable(measured, roles)]);

/** The report of a run that compares this library with its build before it could be observed, as Markdown. */
export const observingReport = (run: Run): string =>
  [
    '# What observing costs',
    `Written by \`${run.command}\` on ${run.date}, at commit ${run.commit}, in ${run.minutes.toFixed(0)} minutes: ` +
      `${run.rounds} rounds of ${run.seconds} s for each build and scenario, interleaved. \`before\` is the build that ` +
      'cannot be observed. Figures are medians of the rounds; ratios are taken within each round, and above 1 the build ' +
      'is slower, uses more or sends more than before.',
    markdownTable(
      ['machine', ''],
      Object.entries(run.facts)
        .filter(([name]) => name !== 'peers' && name !== 'Java')
        .map(([name, fact]) => [name, fact]),
    ),
    ...observingSections(run),
    '',
  ].join('\n\n');
