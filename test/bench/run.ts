import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Row } from './figures/results.js';
import { libraries, LIMIT, OURS, REDISSON } from './libraries.js';
import { measureScenario } from './measure.js';
import { type Options, parseOptions } from './options.js';
import { machineFacts, peerVersions } from './report/machine.js';
import { judge } from './report/bars.js';
import { barsTable, markdownReport, type Measured, type Run, scenarioSection } from './report/report.js';
import { scenarios } from './scenarios/index.js';
import { BenchWorld } from './bench-world.js';

const MS_PER_S = 1000;
const MS_PER_MINUTE = 60_000;
const roles = { ours: OURS, limit: LIMIT, redisson: REDISSON };

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

function readOptions(): Options | undefined {
  try {
    return parseOptions(process.argv.slice(2), {
      scenarios: scenarios.map(({ id }) => id),
      adapters: libraries.map(({ name }) => name),
    });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
    return undefined;
  }
}

async function measureAll({ only, adapters, rounds, seconds, quick }: Options): Promise<Measured[]> {
  const ms = seconds * MS_PER_S;
  await using world = await BenchWorld.open({ quick, ms, warmUpMs: Math.min(ms, MS_PER_S) / 2 });
  const measured: Measured[] = [];
  const taking = libraries.filter(({ name }) => adapters.includes(name));
  for (const scenario of scenarios.filter(({ id }) => only.includes(id))) {
    const start = performance.now();
    say(`${scenario.id}: ${scenario.title}`);
    const rows: readonly Row[] = await measureScenario(world, { scenario, libraries: taking, rounds }, say);
    say(`  ${((performance.now() - start) / MS_PER_S).toFixed(0)} s`);
    measured.push({ scenario, rows });
    print(scenarioSection({ scenario, rows }, roles).join('\n\n'));
  }
  return measured;
}

function writeResults(run: Run): void {
  const folder = new URL('.', import.meta.url);
  writeFileSync(new URL('RESULTS.md', folder), markdownReport(run));
  const measured = run.measured.map(({ scenario: { id, title }, rows }) => ({ id, title, rows }));
  writeFileSync(new URL('results.json', folder), `${JSON.stringify({ ...run, measured }, undefined, 2)}\n`);
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return (
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'lib') === '' ? '' : ' with changes in lib')
  );
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  const facts = machineFacts(peerVersions());
  const start = performance.now();
  const measured = await measureAll(options);
  print(barsTable(measured.flatMap(({ scenario, rows }) => judge(scenario, rows, roles))));
  if (!options.write) return;
  writeResults({
    ...{ facts, measured, roles, rounds: options.rounds, seconds: options.seconds, commit: commit() },
    date: new Date().toISOString().slice(0, 10),
    command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
    minutes: (performance.now() - start) / MS_PER_MINUTE,
  });
}

process.on('unhandledRejection', (error) => {
  say(`Unhandled rejection: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  process.exitCode = 1;
});

void main();
