import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, nameOf, suiteOf } from './environments.js';

const ROOT = join(__dirname, '../..');
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc');

/** Settings of an application. They have no paths, so that packages are found as at run time. */
const SETTINGS = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { noEmit: false, sourceMap: true, inlineSources: true, types: ['node'], paths: {} },
  include: ['.'],
  exclude: [],
};

/**
 * Checks and compiles the suite as an application of this Nest and format. TypeScript finds packages from the folder of
 * a source, and the format in the package.json above it, so the sources are copied there first.
 */
export const compileSuite = (environment: Environment): void => {
  const folder = suiteOf(environment);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(__dirname, 'suite'), folder, { recursive: true });
  const type = environment.format === 'esm' ? 'module' : 'commonjs';
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
  const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The suite does not compile for ${nameOf(environment)}:\n${stdout}`);
};
