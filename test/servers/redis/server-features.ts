import { execFileSync, spawnSync } from 'node:child_process';
import { serverBinary } from '../install.js';

interface ServerVersion {
  readonly kind: 'Redis' | 'Valkey';
  /** Such as `7.0.15`. */
  readonly version: string;
}

const askVersion = (): ServerVersion => {
  const reply = execFileSync(serverBinary(), ['--version'], { encoding: 'utf8' });
  const [, kind, version] = /^(Redis|Valkey) server v=([\d.]+)/.exec(reply) ?? [];
  if ((kind !== 'Redis' && kind !== 'Valkey') || version === undefined)
    throw new Error(`The server does not tell its version: ${reply}`);
  return { kind, version };
};

/** Valkey began as Redis 7.2. */
const isSince = (major: number, minor: number, { kind, version }: ServerVersion): boolean => {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return kind === 'Valkey' || ownMajor > major || (ownMajor === major && ownMinor >= minor);
};

/** A server with TLS that is started without a certificate complains about it, and ends as one without TLS does. */
const speaksTls = (): boolean => {
  const args = ['--port', '0', '--tls-port', '1', '--save', ''];
  const { stdout, stderr } = spawnSync(serverBinary(), args, { encoding: 'utf8', timeout: 10_000 });
  const told = stdout + stderr;
  if (/No tls-cert-file configured/.test(told)) return true;
  if (/Failed finding TLS support|'tls-port/.test(told)) return false;
  throw new Error(`The server does not say whether it speaks TLS:\n${told}`);
};

/** What some servers lack, and why tests that need it are skipped there. */
const FEATURES = {
  'sharded channels': {
    isThere: (server: ServerVersion) => isSince(7, 0, server),
    lack: 'it has no sharded channels (SSUBSCRIBE)',
  },
  WAITAOF: { isThere: (server: ServerVersion) => isSince(7, 2, server), lack: 'it does not have the command WAITAOF' },
  TLS: { isThere: speaksTls, lack: 'it was built without TLS' },
} as const;

export type ServerFeature = keyof typeof FEATURES;

/** Reasons for skipped tests, by feature; `undefined`: the server has it. Each is found out once for each process. */
const reasons = new Map<ServerFeature, string | undefined>();

const reasonAgainst = (feature: ServerFeature | undefined): string | undefined => {
  if (feature === undefined) return undefined;
  if (reasons.has(feature)) return reasons.get(feature);
  const server = askVersion();
  const { isThere, lack } = FEATURES[feature];
  const reason = isThere(server) ? undefined : `skipped on ${server.kind} ${server.version}: ${lack}`;
  reasons.set(feature, reason);
  return reason;
};

/** Whether the server of the tests has the feature. */
export const serverHas = (feature: ServerFeature): boolean => reasonAgainst(feature) === undefined;

/** Settings of a server without WAITAOF, as older ones are. */
export const WITHOUT_WAITAOF: readonly string[] = serverHas('WAITAOF') ? ['--rename-command', 'WAITAOF', ''] : [];

/** Defines a test that needs the feature, if any. On other servers it is skipped, with the reason in its name. */
export const itWith = (feature: ServerFeature | undefined, name: string, test: () => Promise<void>): void => {
  const reason = reasonAgainst(feature);
  if (reason === undefined) it(name, test);
  else it.skip(`${name} [${reason}]`, test);
};

/** Defines a suite that needs the feature. On other servers it is skipped, with the reason in its name. */
export const describeWith = (feature: ServerFeature, name: string, suite: () => void): void => {
  const reason = reasonAgainst(feature);
  if (reason === undefined) describe(name, suite);
  else describe.skip(`${name} [${reason}]`, suite);
};
