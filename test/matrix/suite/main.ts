import 'reflect-metadata';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve, sep } from 'node:path';
import type { Cell, Cells } from './cell.js';
import { kinds } from './kinds/index.js';
import { backend } from './application.js';

/** File descriptor that the runner reads. Applications print to the usual ones. */
const RUNNER = 3;
const LIMIT_MS = 20_000;

const tell = (message: object): void => void writeSync(RUNNER, `${JSON.stringify(message)}\n`);

/** Fails if a package is missing in this folder, because Node would find that of the repository, with another Nest. */
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

/** Sends the plan before the results, so that the cells that a crash leaves out are known. */
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
    // Ends the process even if an application left something open, which is not tested here.
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
