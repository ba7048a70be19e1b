import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Installs the peers of the benchmark if they are missing. This is a step of its own, so that the next step of
// `npm run bench` gets the arguments of the command line.
const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = fileURLToPath(new URL('node_modules/.package-lock.json', import.meta.url));
if (!existsSync(installed)) {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
