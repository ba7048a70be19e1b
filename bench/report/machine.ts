import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { CLIENT_CORE, type Placement, SERVER_CORE, type SetUp } from '../set-up/set-up.js';
import { redissonVersions } from '../../test/interop/peer-build.js';
import { serverBinary } from '../../test/servers/install.js';

/** Facts about the machine that the figures depend on, by name. */
export type MachineFacts = Readonly<Record<string, string>>;

const PLACEMENTS: Readonly<Record<Placement, string>> = {
  pinned: `server pinned to core ${SERVER_CORE}, clients to core ${CLIENT_CORE}`,
  free: 'no core assigned',
};

const GB = 2 ** 30;

/** Reads the facts. Call it before the measurements, so that the load is that of other programs. */
export function machineFacts(packages: readonly string[], setUps: readonly SetUp[]): MachineFacts {
  const processors = cpus();
  return {
    CPU: `${processors[0]?.model ?? 'unknown'}, ${processors.length} cores`,
    memory: `${Math.round(totalmem() / GB)} GB`,
    kernel: release(),
    Node: [...new Set(setUps.map(({ node }) => node.version))].join(', '),
    placements: [...new Set(setUps.map(({ placement }) => PLACEMENTS[placement]))].join('; '),
    Redis: version(serverBinary(), ['--version'], /v=(\S+)/),
    Java: version('java', ['-version'], /version "([^"]+)"/),
    'load average before': loadavg()
      .map((load) => load.toFixed(2))
      .join(', '),
    peers: packages.join(', '),
  };
}

function version(program: string, args: readonly string[], pattern: RegExp): string {
  try {
    const output = execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1', program, ...args], { encoding: 'utf8' });
    return pattern.exec(output)?.[1] ?? 'unknown';
  } catch {
    return 'none';
  }
}

/** The versions of the peers in the lock file, and of Redisson. */
export function peerVersions(): string[] {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly dependencies?: object }>>;
  };
  const wanted = Object.keys(lock.packages['']?.dependencies ?? {});
  const found = wanted.map((name) => `${name} ${lock.packages[`node_modules/${name}`]?.version ?? '?'}`);
  return [...found, `Redisson ${redissonVersions[0]}`];
}
