import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The peers of the benchmark, when they are not there. Asked for in one step of their own, so that what comes after it
// gets the arguments of the command line.
const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = fileURLToPath(new URL('node_modules/.package-lock.json', import.meta.url));
if (!existsSync(installed)) {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
