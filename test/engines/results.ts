import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { engines, suites } from './engines.js';
import type { SuiteResult } from './report.js';
import { pageOf } from './table.js';

const RESULTS = join(__dirname, 'results.json');
const PAGE = join(__dirname, '../../docs/engines.md');

/** Writes a file as prettier would, which CI checks. */
const write = async (file: string, text: string): Promise<void> =>
  writeFileSync(file, await format(text, { filepath: file, printWidth: 120 }));

/** Replaces the stored results of the same engines and suites, and writes the page of all of them. */
export const keepResults = async (fresh: readonly SuiteResult[]): Promise<void> => {
  const stored = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly SuiteResult[]) : [];
  const all = engines.flatMap(({ name }) =>
    suites.flatMap((suite) => {
      const isThis = (result: SuiteResult): boolean => result.engine === name && result.suite === suite;
      return fresh.find(isThis) ?? stored.find(isThis) ?? [];
    }),
  );
  await write(RESULTS, JSON.stringify(all));
  await write(PAGE, pageOf(all));
};
