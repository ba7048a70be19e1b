import 'reflect-metadata';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve, sep } from 'node:path';
import type { Cell, Cells } from './cell.js';
import { kinds } from './kinds/index.js';
import { backend } from './stage.js';

/** Where the runner listens; what applications print goes to the usual places. */
const RUNNER = 3;
const LIMIT_MS = 20_000;

const tell = (message: object): void => void writeSync(RUNNER, `${JSON.stringify(message)}\n`);

/** A package that is missing in this folder would be found in the repository's, of another Nest. */
const assertOwnPackages = (folder: string): void => {
  const find = createRequire(resolve(process.argv[1] ?? ''));
  for (const name of ['@nestjs/core', 'nest-redis-lock']) {
    const found = find.resolve(name);
    if (!found.startsWith(folder + sep)) throw new Error(`${name} comes from ${found}, not from ${folder}`);
  }
};

const outcomeOf = async ({ check }: Cell): Promise<{ error?: string }> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end after ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    await Promise.race([check(), limit]);
    return {};
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    clearTimeout(timer);
  }
};

/** Says what there is to show, then shows it, so that what a crash leaves out is known. */
const main = async (name: string, folder: string, wanted: string): Promise<void> => {
  assertOwnPackages(resolve(folder));
  const load = kinds[name];
  if (!load) throw new Error(`There are no kinds "${name}"`);
  const cells: Cells = (await load()).filter(({ kind }) => kind.includes(wanted));
  tell({ plan: cells.map((cell) => ({ ...cell, backend: backend() })) });
  for (const cell of cells) {
    if (!('check' in cell)) continue;
    const { kind, scope, position } = cell;
    tell({ result: { kind, scope, position, backend: backend(), ...(await outcomeOf(cell)) } });
  }
};

const [, , name = '', folder = '', wanted = ''] = process.argv;
const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));
main(name, folder, wanted).then(
  () => {
    tell({ unhandled: unhandled.map(String) });
    // Whatever an application left open is not what this is about.
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
