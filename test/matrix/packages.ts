import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, NESTS } from './environments.js';

const ROOT = join(__dirname, '../..');

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** A copy of the lock file that the installed packages belong to. */
const stampOf = (folder: string): string => join(folder, 'node_modules', '.installed-lock.json');

const isUpToDate = (folder: string): boolean =>
  existsSync(stampOf(folder)) &&
  readFileSync(stampOf(folder), 'utf8') === readFileSync(join(folder, 'package-lock.json'), 'utf8');

/** Installs the packages of each version of Nest, unless they are up to date. */
export const installPackages = (): void => {
  for (const folder of NESTS.map(folderOf)) {
    if (isUpToDate(folder)) continue;
    run('npm', ['ci', '--ignore-scripts', '--loglevel=error'], folder);
    writeFileSync(stampOf(folder), readFileSync(join(folder, 'package-lock.json')));
  }
};

/**
 * Builds, packs and unpacks the library beside each Nest, so that the published files are tested, with the Nest of that
 * folder. `npm install` would write a lock file that differs with every build, and would remove a package that it has
 * not installed itself.
 */
export const unpackLibrary = (): void => {
  const place = mkdtempSync(join(tmpdir(), 'matrix-'));
  try {
    run('npm', ['run', '--silent', 'build'], ROOT);
    const tarball = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place], ROOT).trim();
    for (const folder of NESTS.map(folderOf)) {
      const target = join(folder, '.suite', 'node_modules', 'nest-redis-lock');
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      run('tar', ['-xzf', join(place, tarball), '-C', target, '--strip-components=1'], ROOT);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const versionIn = (folder: string, name: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
  return String((manifest as { version?: unknown }).version);
};

/** The versions with which a table was made. */
export const versions = (): string => {
  const nests = NESTS.map(folderOf).map((folder) => versionIn(folder, '@nestjs/core'));
  return `\`npm run test:matrix\` on Node ${process.versions.node}, with Nest ${nests.join(' and ')}.`;
};
