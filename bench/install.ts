import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Packages {
  readonly packages?: Readonly<Record<string, { readonly version?: string }>>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

const packagesOf = (file: string): Packages['packages'] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Packages).packages : undefined;

/** Whether all packages of the lock file are installed, in these versions. */
function isInstalled(): boolean {
  const wanted = Object.entries(packagesOf(`${folder}package-lock.json`) ?? {}).filter(([path]) => path !== '');
  const found = packagesOf(`${folder}node_modules/.package-lock.json`);
  return wanted.every(([path, { version }]) => found?.[path]?.version === version);
}

// Installs the peers of the benchmark if they are missing. This is a step of its own, so that the next step of
// `npm run bench` gets the arguments of the command line.
if (!isInstalled()) {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
