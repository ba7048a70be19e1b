import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

const TITLES: readonly (readonly [title: string, bugs: readonly PlantedBug[]])[] = [
  ['Mends that are taken out', mends],
  ['Bugs that were never there', plantedBugs],
  ['Rules of grants that are left out', plantedGrants],
];

const HEAD = ['bug', 'what goes wrong', 'first seed', 'scenario', 'rule that is broken', 'seconds', 'commit'];

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const INTRODUCTION = `# Bugs that the explorer finds

Written by \`npm run test:sim -- --planted --write\`, after each bug. Each is planted by changing the library's code while it
is loaded; nothing on disk changes. Seeds are run from 1 on, or from the first one given with a rare bug, until one fails, in
two processes, so the seed shown is the first that was reported. Of a bug that names one scenario, the seeds are those of
\`--scenario\`. Three need several rare events within one round trip: of these, the spec that fails is named.
\`npm run test:sim -- --planted --only NAME\` plants one of them. A run begins with those that the table does not
have, since all of them take an hour.`;

/** The rows of the table, by the names of their bugs. */
const knownRows = (): Map<string, string> => {
  const rows = existsSync(TABLE) ? readFileSync(TABLE, 'utf8').match(/^\| \S+ \|.*\|$/gm) : null;
  const whole = (rows ?? []).filter((row) => row.split(' | ').length === HEAD.length && row !== rowOf(HEAD));
  return new Map(whole.map((row) => [row.slice(2, row.indexOf(' |')), row]));
};

const write = (rows: ReadonlyMap<string, string>): void => {
  const tables = TITLES.map(([title, bugs]) =>
    [
      `## ${title}`,
      '',
      rowOf(HEAD),
      `|${'---|'.repeat(HEAD.length)}`,
      ...bugs.flatMap(({ name }) => rows.get(name) ?? []),
    ].join('\n'),
  );
  writeFileSync(TABLE, `${[INTRODUCTION, ...tables].join('\n\n')}\n`);
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Plants a bug. Resolves with whether it was found, and with its row in the table. */
const find = async (
  { name, what, edits, from = 1, scenario: usual, spec }: PlantedBug,
  { seeds, jobs, scenario = usual }: Plan,
  commit: string,
): Promise<readonly [isFound: boolean, row: string]> => {
  const started = performance.now();
  const env = { ...process.env, CHAOS_MUTATION: JSON.stringify(edits), NODE_OPTIONS: `--require ${MUTATE}` };
  const { failures } = await runCampaign({ from, seeds, jobs, env, scenario, stopsAtFirst: true, real: false });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const [first] = failures;
  const notFound = spec === undefined ? 'not found' : `none, but \`${spec}\` fails`;
  const { seed, scenario: where, rule } = first ?? { seed: notFound, scenario: '', rule: '' };
  print(first ? `ok   ${name}: seed ${seed}, ${rule}, ${seconds} s` : `FAIL ${name}: not found, ${seconds} s`);
  return [first !== undefined, rowOf([name, what, String(seed), where, rule, seconds, commit])];
};

/** Plants one bug after the other. Resolves with whether each was found. */
export const checkPlanted = async (plan: Plan): Promise<boolean> => {
  const { only, writes } = plan;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const rows = knownRows();
  const bugs = TITLES.flatMap(([, all]) => all).filter(({ name }) => only === undefined || name === only);
  const inOrder = [...bugs.filter(({ name }) => !rows.has(name)), ...bugs.filter(({ name }) => rows.has(name))];
  let found = 0;
  for (const bug of inOrder) {
    const [isFound, row] = await find(bug, plan, commit);
    rows.set(bug.name, row);
    found += isFound ? 1 : 0;
    if (writes) write(rows);
  }
  print(`${found} passed, ${inOrder.length - found} failed`);
  return found === inOrder.length && found > 0;
};
