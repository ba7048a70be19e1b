import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, FORMATS, NESTS } from './environments.js';
import type { Table } from './table.js';

const TAKES_NOTHING = `
LockedExecutor.prototype.enter = async () => ({ run: (work) => work(), leave: async () => {} });
`;

/** Makes `@Locked` of the unpacked library take no lock until it is unpacked again. */
export const disableLocks = (): void => {
  for (const folder of NESTS.map(folderOf)) {
    for (const format of FORMATS) {
      const library = join(folder, '.suite/node_modules/nest-redis-lock/dist', format);
      const file = join(library, 'decorators/locked.executor.js');
      writeFileSync(file, readFileSync(file, 'utf8') + TAKES_NOTHING);
    }
  }
};

/** Cells that show nothing, because they pass without locks as well. The OpenAPI document does not depend on locks. */
export const unnoticed = ({ rows }: Table): string[] =>
  rows
    .filter(({ kind, marks }) => marks.includes('passed') && !kind.startsWith('OpenAPI'))
    .map(({ kind, scope, position }) => `${kind}, ${scope}, ${position}`);
