import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileSuite } from './compile.js';
import { environments, nameOf } from './environments.js';
import { installPackages, unpackLibrary, versions } from './packages.js';
import { type ProcessReport, runProcess } from './process.js';
import { runs } from './runs.js';
import { markdownOf, tableOf } from './table.js';
import { disableLocks, unnoticed } from './without-locks.js';

const { values: given } = parseArgs({
  options: {
    /** Files of kinds, separated by commas. */
    only: { type: 'string' },
    /** A part of the name of a kind of method. */
    kind: { type: 'string' },
    nest: { type: 'string' },
    format: { type: 'string' },
    /** Uses the library that was built, packed and unpacked before. */
    'no-build': { type: 'boolean', default: false },
    /** Uses a library that takes no locks, so that every cell has to fail. */
    'without-locks': { type: 'boolean', default: false },
  },
});

const AT_ONCE = 2;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const isChosen = (choice: string | undefined, name: string): boolean => !choice || choice.split(',').includes(name);

/** Runs some tasks at a time. Resolves with their results in order. */
const runAll = async <T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> => {
  const results: T[] = [];
  const queue = tasks.entries();
  const work = async (): Promise<void> => {
    for (const [index, task] of queue) results[index] = await task();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
};

const main = async (): Promise<void> => {
  const chosen = environments.filter(
    ({ nest, format }) => isChosen(given.nest, nest) && isChosen(given.format, format),
  );
  const wanted = runs.filter(({ kinds }) => isChosen(given.only, kinds));
  installPackages();
  if (!given['no-build']) unpackLibrary();
  if (given['without-locks']) disableLocks();
  for (const environment of chosen) compileSuite(environment);

  const tasks = wanted.flatMap((run) =>
    chosen.map((environment) => async (): Promise<{ environment: typeof environment; report: ProcessReport }> => {
      const start = performance.now();
      const report = await runProcess(environment, { ...run, wanted: given.kind });
      const failed = report.results.filter(({ error }) => error !== undefined).length;
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const count = `${report.results.length - failed} passed, ${failed} failed`;
      print(`${nameOf(environment)}: ${run.kinds}, locks in ${run.backend}: ${count}, ${seconds} s`);
      return { environment, report };
    }),
  );
  const done = await runAll(tasks);
  const table = tableOf(
    chosen.map((environment) => ({
      environment,
      reports: done.filter((one) => one.environment === environment).map(({ report }) => report),
    })),
  );
  print(`\n${markdownOf(table)}`);
  if (given['without-locks']) {
    for (const place of unnoticed(table)) print(`PASSED WITHOUT LOCKS ${place}`);
    process.exitCode = unnoticed(table).length === 0 && table.failures.size > 0 ? 0 : 1;
    return;
  }
  for (const [why, where] of table.failures) print(`FAILED ${where.join('\n       ')}\n${why}\n`);
  const isWhole =
    chosen.length === environments.length && wanted.length === runs.length && !given.kind && !given['no-build'];
  if (isWhole)
    writeFileSync(join(__dirname, 'RESULTS.md'), `# Every kind of method\n\n${versions()}\n\n${markdownOf(table)}`);
  process.exitCode = table.failures.size === 0 && table.rows.length > 0 ? 0 : 1;
};

void main();
