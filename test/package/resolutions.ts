import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTimed } from './run-timed.js';

const TSC = join(__dirname, '../../node_modules/typescript/bin/tsc');

/** Options of the compiler for each module resolution. */
const RESOLUTIONS: readonly (readonly string[])[] = [
  // Knows no `exports`; TypeScript 7 does not have it any more.
  ['--moduleResolution', 'node10', '--module', 'commonjs', '--ignoreDeprecations', '6.0'],
  ['--moduleResolution', 'node16', '--module', 'node16'],
  ['--moduleResolution', 'nodenext', '--module', 'nodenext'],
  ['--moduleResolution', 'bundler', '--module', 'esnext'],
];

/** Compiles imports of the package in a folder where it is installed, under every module resolution. */
export const checkResolutions = (place: string, program: string): void => {
  // The second one is an ES module under the resolutions of Node, and sees the declarations of that.
  const files = [program, program.replace('.ts', '.mts')];
  for (const file of files) copyFileSync(join(__dirname, program), join(place, file));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--lib', 'ES2023,ESNext.Disposable,DOM'];
  for (const resolution of RESOLUTIONS) {
    runTimed(process.execPath, [TSC, ...resolution, '--ignoreConfig', ...options, ...files], place);
  }
};
