import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCampaign } from '../campaign/campaign.js';
import { mends } from './mends.js';
import type { PlantedBug } from './planted-bug.js';
import { plantedGrants } from './planted-grants.js';
import { plantedBugs } from './planted-bugs.js';

const MUTATE = fileURLToPath(new URL('../../chaos/mutate.cjs', import.meta.url));
const TABLE = new URL('../PLANTED.md', import.meta.url);

interface Plan {
  /** The number of seeds in which each bug has to be found. */
  readonly seeds: number;
  readonly jobs: number;
  /** The one bug to plant. Default: all. */
  readonly only?: string | undefined;
  /** The one scenario to run. Default: all. */
  readonly scenario?: string | undefined;
  /** Whether to write the table in the repository. */
  readonly writes: boolean;
}

interface Finding {
  readonly bug: PlantedBug;
  readonly seed: number | undefined;
  readonly rule: string;
  readonly scenario: string;
  readonly seconds: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const find = async (bug: PlantedBug, { seeds, jobs, scenario }: Plan): Promise<Finding> => {
  const started = performance.now();
  const env = { ...process.env, CHAOS_MUTATION: JSON.stringify(bug.edits), NODE_OPTIONS: `--require ${MUTATE}` };
  const from = bug.from ?? 1;
  const { failures } = await runCampaign({ from, seeds, jobs, env, scenario, stopsAtFirst: true, real: false });
  const seconds = (performance.now() - started) / 1000;
  const [first] = failures;
  print(
    `${first ? 'ok  ' : 'FAIL'} ${bug.name}: ${first ? `seed ${first.seed}, ${first.rule}` : 'not found'}, ${seconds.toFixed(1)} s`,
  );
  return { bug, seed: first?.seed, rule: first?.rule ?? '', scenario: first?.scenario ?? '', seconds };
};

const rowOf = ({ bug, seed, scenario, rule, seconds }: Finding): string =>
  `| ${bug.name} | ${bug.what} | ${seed ?? 'not found'} | ${scenario} | ${rule} | ${seconds.toFixed(1)} |`;

const tableOf = (title: string, findings: readonly Finding[]): string =>
  [
    `## ${title}`,
    '',
    '| bug | what goes wrong | first seed | scenario | rule that is broken | seconds |',
    '|---|---|---|---|---|---|',
    ...findings.map(rowOf),
  ].join('\n');

const INTRODUCTION = `# Bugs that the explorer finds

Written by \`npm run test:sim -- --planted --write\`. Each bug is planted by changing the library's code while it is loaded;
nothing on disk changes. Seeds are run from 1 on, or from the first one given with a rare bug, until one fails, in two
processes, so the seed shown is the first that was reported. \`npm run test:sim -- --planted --only NAME\` plants one of
them.`;

/** Plants one bug after the other. Resolves with whether each was found. */
export const checkPlanted = async (plan: Plan): Promise<boolean> => {
  const { only, writes } = plan;
  const findAll = async (bugs: readonly PlantedBug[]): Promise<Finding[]> => {
    const findings: Finding[] = [];
    for (const bug of bugs) if (only === undefined || bug.name === only) findings.push(await find(bug, plan));
    return findings;
  };
  const taken = await findAll(mends);
  const planted = await findAll(plantedBugs);
  const inGrants = await findAll(plantedGrants);
  if (writes) {
    const tables = [
      tableOf('Mends that are taken out', taken),
      tableOf('Bugs that were never there', planted),
      tableOf('Rules of grants that are left out', inGrants),
    ];
    writeFileSync(TABLE, `${[INTRODUCTION, ...tables].join('\n\n')}\n`);
  }
  const all = [...taken, ...planted, ...inGrants];
  const missed = all.filter(({ seed }) => seed === undefined).length;
  print(`${all.length - missed} passed, ${missed} failed`);
  return missed === 0 && all.length > 0;
};
