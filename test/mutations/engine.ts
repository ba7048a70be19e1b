import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { luaMutations } from './lua-mutations.js';
import type { Mutation } from './mutation.js';
import { typescriptMutations } from './typescript-mutations.js';

const FOLDERS = ['waiting', 'holds', 'watchdog', 'reentrancy', 'backend', 'synchronizers', 'coordination'];

/** The files of the engine, by their paths from the root of the repository. */
export const engineFiles = (root: string): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, 'lib', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|lua)$/.test(file) && !/\.(generated|spec)\.ts$/.test(file))
      .map((file) => join('lib', folder, file))
      .toSorted(),
  );

export const mutationsOf = (file: string, source: string): readonly Mutation[] =>
  file.endsWith('.lua') ? luaMutations(file, source) : typescriptMutations(file, source);

/** All mutations of the engine, in the order of files and places. */
export const engineMutations = (root: string): readonly Mutation[] =>
  engineFiles(root).flatMap((file) => mutationsOf(file, readFileSync(join(root, file), 'utf8')));

/** Names the code that a mutation changes. Two mutations of one expression have one name. */
export const placeOf = ({ file, probe }: Mutation): string => `${file}:${probe?.join('-') ?? ''}`;
