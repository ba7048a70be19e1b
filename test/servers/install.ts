import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const SERVERS = ['redis-server', 'valkey-server'];

const INSTALLERS = [
  ['apt-get', ['update'], ['install', '-y', '--no-install-recommends', 'redis-server']],
  ['apk', ['add', 'redis']],
  ['dnf', ['install', '-y', 'redis']],
  ['dnf', ['install', '-y', 'valkey']],
  ['brew', ['install', 'redis']],
] as const;

/**
 * Makes sure that there is a server to test against. Jest calls it once before all tests, and without their module
 * mapping: import nothing here but Node's own modules.
 */
export default function ensureServer(): void {
  if (findServer() !== undefined) return;
  for (const [manager, ...steps] of INSTALLERS) {
    if (findInPath(manager) === undefined) continue;
    process.stdout.write(`No Redis found, installing one with ${manager}\n`);
    if (steps.every((step) => run(manager, step)) && findServer() !== undefined) return;
  }
  throw new Error(noServer('none could be installed'));
}

/** Path of the server binary; {@link ensureServer} has seen to it that there is one. */
export function serverBinary(): string {
  const found = findServer();
  if (found === undefined) throw new Error(noServer('none was installed'));
  return found;
}

const noServer = (why: string) =>
  `Neither ${SERVERS.join(' nor ')} is in PATH and ${why}: install Redis, for example with 'apt-get install redis-server'.`;

function findServer(): string | undefined {
  return SERVERS.map(findInPath).find((path) => path !== undefined);
}

function findInPath(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function run(manager: string, args: readonly string[]): boolean {
  // Homebrew refuses to run as root, the others need it; `sudo -n` fails instead of asking for a password.
  const asRoot = manager === 'brew' || process.getuid?.() === 0;
  const [command, ...rest] = asRoot ? [manager, ...args] : ['sudo', '-n', manager, ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}
