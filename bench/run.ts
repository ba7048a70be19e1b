import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { BEFORE, libraries, LIMIT, OBSERVED, OURS, RAW_REDISSON, REDISSON, UNOBSERVED } from './libraries.js';
import { EARLIER_COMMIT } from './adapters/nest-redis-lock.adapter.js';
import { UNOBSERVED_COMMIT } from './adapters/observed-nest-redis-lock.adapter.js';
import { measureSetUps } from './measure-set-ups.js';
import { type Options, parseOptions } from './options.js';
import { writeChart } from './report/chart.js';
import { machineFacts, peerVersions } from './report/machine.js';
import { observingReport, observingSections } from './report/observing-report.js';
import { barsSections, markdownReport, resultsSection, type Run, type SetUpResults } from './report/report.js';
import { scenarios } from './scenarios/index.js';
import { buildEarlier } from './set-up/earlier-build.js';
import { nodeBinaries } from './set-up/node-binary.js';
import { assertPinnable } from './set-up/pinning.js';
import { type SetUp, setUps, setUpTitle } from './set-up/set-up.js';

const MS_PER_S = 1000;
const MS_PER_MINUTE = 60_000;
const MOST_WARM_UP_MS = 300;
const roles = {
  ...{ ours: OURS, limit: LIMIT, redisson: REDISSON, before: BEFORE, references: [RAW_REDISSON] },
  ...{ unobserved: UNOBSERVED, observed: OBSERVED },
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads the command line and finds what it needs. Says what is wrong, if anything is. */
function prepare(): { readonly options: Options; readonly wanted: readonly SetUp[] } | undefined {
  try {
    const options = parseOptions(process.argv.slice(2), {
      scenarios: scenarios.map(({ id }) => id),
      named: scenarios.filter(({ when }) => when === 'named').map(({ id }) => id),
      adapters: libraries.map(({ name }) => name),
      namedAdapters: libraries.filter(({ when }) => when === 'named').map(({ name }) => name),
    });
    if (options.pin) assertPinnable();
    const wanted = setUps(nodeBinaries(options.nodes), options.pin);
    if (options.adapters.includes(BEFORE)) buildEarlier(EARLIER_COMMIT);
    if (options.adapters.includes(UNOBSERVED)) buildEarlier(UNOBSERVED_COMMIT);
    return { options, wanted };
  } catch (error) {
    say(messageOf(error));
    process.exitCode = 2;
    return undefined;
  }
}

async function measureAll(
  { only, adapters, rounds, seconds, quick, allPeers }: Options,
  wanted: readonly SetUp[],
): Promise<readonly SetUpResults[]> {
  const ms = seconds * MS_PER_S;
  const plan = {
    ...{ setUps: wanted, rounds, roles },
    settings: { quick, allPeers, ms, warmUpMs: Math.min(ms, MOST_WARM_UP_MS) },
    scenarios: scenarios.filter(({ id }) => only.includes(id)),
    libraries: libraries.filter(({ name }) => adapters.includes(name)),
  };
  return await measureSetUps(plan, {
    say,
    measured: (measured, setUp) => {
      print(`## ${measured.scenario.id}, ${setUpTitle(setUp)}`);
      print(resultsSection(measured, roles).join('\n\n'));
    },
  });
}

const folder = new URL('.', import.meta.url);

async function writeResults(run: Run): Promise<void> {
  writeFileSync(new URL('RESULTS.md', folder), markdownReport(run));
  writeRounds('results.json', run);
  await writeChart();
}

/** A comparison with the build that cannot be observed is a report of its own. */
function writeObservingCost(run: Run): void {
  writeFileSync(new URL('OBSERVING.md', folder), observingReport(run));
  writeRounds('observing.json', run);
}

function writeRounds(name: string, run: Run): void {
  const measured = run.setUps.map(({ setUp: { node, placement }, measured: all }) => ({
    ...{ node: node.version, placement },
    measured: all.map(({ scenario: { id, title }, rows }) => ({ id, title, rows })),
  }));
  writeFileSync(new URL(name, folder), `${JSON.stringify({ ...run, setUps: measured }, undefined, 2)}\n`);
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return (
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'lib') === '' ? '' : ' with changes in lib')
  );
}

async function main(): Promise<void> {
  const start = performance.now();
  const prepared = prepare();
  if (prepared === undefined) return;
  const { options, wanted } = prepared;
  const facts = machineFacts(peerVersions(), wanted);
  const results = await measureAll(options, wanted);
  const isComparison = options.adapters.includes(UNOBSERVED);
  if (isComparison) print(observingSections({ setUps: results, roles }).join('\n\n'));
  else print(barsSections({ setUps: results, roles }).join('\n\n'));
  const minutes = (performance.now() - start) / MS_PER_MINUTE;
  say(`Took ${minutes.toFixed(1)} minutes`);
  if (!options.write) return;
  const run = {
    ...{ facts, setUps: results, roles, minutes, commit: commit() },
    ...{ rounds: options.rounds, seconds: options.seconds, allPeers: options.allPeers },
    date: new Date().toISOString().slice(0, 10),
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
  };
  if (isComparison) writeObservingCost(run);
  else await writeResults(run);
}

process.on('unhandledRejection', (error) => {
  say(`Unhandled rejection: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  process.exitCode = 1;
});

void main();
