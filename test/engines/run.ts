import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { binaryOf } from './binary.js';
import { engines, type Suite, suites } from './engines.js';
import { hasPassed, outcomeOf, type Report, type SuiteResult } from './report.js';
import { keepResults } from './results.js';
import { pageOf } from './table.js';

const ROOT = join(__dirname, '../..');

const { values: given } = parseArgs({
  options: {
    /** Names of engines, separated by commas. */
    only: { type: 'string' },
    /** Names of suites, separated by commas. */
    suite: { type: 'string' },
    /** Processes of jest at once, as its own option. */
    workers: { type: 'string' },
    /** Stores the results, and writes docs/engines.md. */
    write: { type: 'boolean', default: false },
  },
});

/** Throws for names that do not exist, so that a misspelt choice does not pass as an empty run. */
const chosen = <T>(all: readonly T[], nameOf: (one: T) => string, choice: string | undefined): readonly T[] => {
  const names = choice?.split(',') ?? all.map(nameOf);
  const unknown = names.filter((name) => !all.some((one) => nameOf(one) === name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}: choose of ${all.map(nameOf).join(', ')}`);
  return all.filter((one) => names.includes(nameOf(one)));
};

const runSuite = (suite: Suite, binary: string): Report => {
  const folder = mkdtempSync(join(tmpdir(), 'engines-'));
  const file = join(folder, 'report.json');
  try {
    const workers = given.workers === undefined ? [] : ['--maxWorkers', given.workers];
    const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), `test/${suite}/`, ...workers, '--json'];
    const env = { ...process.env, REDIS_SERVER_BINARY: binary };
    const args = [...jest, `--outputFile=${file}`];
    const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (!existsSync(file)) throw new Error(`jest ended with ${status} and wrote no report of ${suite} on ${binary}`);
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const run = async (): Promise<void> => {
  const wanted = chosen(engines, ({ name }) => name, given.only);
  const folders = chosen(suites, String, given.suite);
  const results: SuiteResult[] = [];
  for (const { engine, binary } of wanted.map((one) => ({ engine: one, binary: binaryOf(one) }))) {
    for (const suite of folders) {
      const start = performance.now();
      const { name } = engine;
      const date = new Date().toISOString().slice(0, 10);
      const { path, version, source } = binary;
      const outcome = outcomeOf(runSuite(suite, path));
      const result = { engine: name, version, source, suite, date, ...outcome };
      results.push(result);
      if (given.write) await keepResults([result]);
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      process.stdout.write(
        `${version}, ${suite}: ${outcome.passed} passed, ${outcome.failed.length} failed, ${seconds} s\n`,
      );
    }
  }
  process.stdout.write(`\n${pageOf(results)}`);
  process.exitCode = results.every(hasPassed) ? 0 : 1;
};

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
