import type { ServerReport } from './inspect-server.js';

/** A reason why locks could not be trusted, and its remedy. */
export interface ProbeError {
  /** The server, without user and password. */
  readonly where: string;
  readonly reason: string;
  readonly remedy: string;
  /** Whether locks work there all the same, so that `probe: 'warn'` helps. */
  readonly isUsable: boolean;
}

/** The part of the configuration that decides what is dangerous or doubtful. */
export interface Expectations {
  /** Whether the connection is one to a cluster. */
  readonly isCluster: boolean;
  /** Number of replicas that must have a lock. */
  readonly minReplicas: number;
  /** Whether the master and these replicas must have it on disk. */
  readonly needsDisk: boolean;
  /** The other nodes of a RedLock, as far as they were probed. */
  readonly otherNodes: readonly ServerReport[];
}

/** Older versions are not tested. */
const OLDEST: readonly [number, number] = [6, 2];
const TESTED = ['Redis', 'Valkey'];

type Danger = Omit<ProbeError, 'where' | 'isUsable'>;

type Check = (server: ServerReport, expected: Expectations) => Danger | undefined;

const sentinel: Check = ({ isSentinel }) =>
  isSentinel
    ? {
        reason: 'it is a Sentinel, which stores nothing',
        remedy: "give { sentinels: [{ host, port }], name: 'the name that they have for the master' }",
      }
    : undefined;

const eviction: Check = ({ memoryLimit, evictionPolicy }) =>
  memoryLimit === undefined || memoryLimit === 0 || evictionPolicy === undefined || evictionPolicy === 'noeviction'
    ? undefined
    : {
        reason: `it drops keys when memory is short (maxmemory-policy ${evictionPolicy}), so a held lock may be granted again`,
        remedy: 'set maxmemory-policy to noeviction, or give locks a server of their own',
      };

const replica: Check = ({ role, master }, { otherNodes }) => {
  if (role !== 'replica') return undefined;
  const isNode = otherNodes.some(({ address }) => address === master);
  const of = master === undefined ? '' : ` of ${master}`;
  return {
    reason: `it is a replica${of}${isNode ? ', another of the nodes' : ''}, and accepts no writes`,
    remedy: otherNodes.length > 0 ? 'give independent masters' : 'connect to the master, or to its Sentinels',
  };
};

const sameServer: Check = ({ runId }, { otherNodes }) => {
  const same = otherNodes.find((other) => runId !== undefined && other.runId === runId);
  return same && { reason: `it is the same server as ${same.address}`, remedy: 'give each node a server of its own' };
};

const wrongTopology: Check = ({ isClusterNode }, { isCluster }) => {
  if (isClusterNode === undefined || isClusterNode === isCluster) return undefined;
  return isCluster
    ? { reason: 'it is not part of a cluster', remedy: 'give it as one server: a URL, or { host, port }' }
    : { reason: 'it is part of a cluster', remedy: 'give the cluster: { cluster: [nodes] }' };
};

const tooOld: Check = ({ level }) => {
  const [major, minor] = OLDEST;
  if (!level || level[0] > major || (level[0] === major && level[1] >= minor)) return undefined;
  return {
    reason: `it has the commands of Redis ${level.join('.')}, and versions before ${OLDEST.join('.')} are not tested`,
    remedy: `use Redis ${OLDEST.join('.')} or newer, or Valkey`,
  };
};

/** Redis refuses a pattern after one for all names. */
const ALL_NAMES = ', without those in ~ if it may use all keys (~*), and in & if all channels (&*)';

const missingRights: Check = ({ lacks: { rules, untried = [] }, scriptsToLoad }) => {
  if (rules.length === 0) return undefined;
  const load = scriptsToLoad.length > 0 ? `, or load its scripts (${scriptsToLoad.length} are missing)` : '';
  return {
    reason: `its user lacks the rights ${rules.join(' ')}`,
    remedy: `grant them: ACL SETUSER <user> ${rules.join(' ')}${untried.length > 0 ? ALL_NAMES : ''}${load}`,
  };
};

const missingCommands: Check = ({ lacks: { commands } }) =>
  commands.length === 0
    ? undefined
    : {
        reason: `it does not know ${commands.join(', ')}`,
        remedy: remedyFor(commands),
      };

const remedyFor = (commands: readonly string[]): string => {
  if (commands.includes('WAITAOF')) return 'use Redis 7.2 or newer, or Valkey, or leave out replicas.aof';
  return commands.some((command) => /^S(SUBSCRIBE|UNSUBSCRIBE|PUBLISH)$/.test(command))
    ? 'use Redis 7 or newer, or shardedPubSub: false'
    : 'do not rename or disable commands that locks need';
};

/** In the order of the text, each with whether locks work there all the same, though they cannot be trusted. */
const CHECKS: readonly (readonly [check: Check, isUsable: boolean])[] = [
  [sentinel, false],
  [tooOld, true],
  [wrongTopology, false],
  [replica, false],
  [sameServer, true],
  [eviction, true],
  [missingRights, false],
  [missingCommands, false],
];

/** Reasons why locks on this server could not be trusted. An unknown property is no danger. */
export const dangersOf = (server: ServerReport, expected: Expectations): readonly ProbeError[] =>
  CHECKS.flatMap(([check, isUsable]) => {
    // A Sentinel lacks most commands for that reason only.
    const danger = check === sentinel || server.isSentinel !== true ? check(server, expected) : undefined;
    return danger ? [{ where: server.address, ...danger, isUsable }] : [];
  });

/** Conditions under which a server accepts writes again, by the first word of its refusal. */
const UNTIL: Readonly<Record<string, string>> = {
  NOREPLICAS: 'as many replicas follow as its min-replicas-to-write says, or that is 0',
  MISCONF: 'it can write its snapshot to disk again',
  OOM: 'it uses less memory than its maxmemory',
};

/** Findings that are not dangerous but hardly intended. */
export const doubtsAbout = (server: ServerReport, { minReplicas, needsDisk }: Expectations): readonly string[] => [
  ...when(
    needsDisk && server.appendsToFile === false,
    'locks must be on disk (replicas.aof) and appendonly is off: no lock is granted until it is on',
  ),
  ...when(
    server.replicas !== undefined && server.replicas < minReplicas,
    `${minReplicas} replica(s) must have each lock and ${server.replicas} follow(s) it now: no lock is granted until there are more`,
  ),
  ...when(
    server.refusesWrites !== undefined,
    `it refuses writes now (${server.refusesWrites}): no lock is granted until ${UNTIL[server.refusesWrites ?? ''] ?? 'it accepts them'}`,
  ),
  ...when(
    !server.isNameAllowed,
    `its user may not use ${server.names.lock} (${server.names.rule}), so which names it may use is unknown`,
  ),
  ...when(server.hearsMessages === false, 'messages do not arrive, so waiters poll'),
  ...when(!TESTED.includes(server.kind), `${server.kind} is not tested`),
];

const when = (isSo: boolean, doubt: string): readonly string[] => (isSo ? [doubt] : []);

/** Settings against the loss of data. */
interface LossProtection {
  readonly minReplicas: number;
  /** Milliseconds; 0: none. */
  readonly restartGuard: number;
}

/** The texts of all servers, without duplicates. */
const ofAll = (servers: readonly ServerReport[], tell: (server: ServerReport) => string): string =>
  [...new Set(servers.map(tell))].join(' / ');

const version = ({ kind, version: own }: ServerReport): string => `${kind} ${own ?? 'of unknown version'}`;

const crash = ({ appendsToFile, fsync }: ServerReport): string => {
  if (appendsToFile === undefined) return 'persistence unknown';
  if (!appendsToFile) return 'a crash loses all locks (no AOF)';
  if (fsync === 'always') return 'a crash loses no lock (AOF, always)';
  return `a crash may lose the latest locks (AOF, ${fsync ?? 'fsync unknown'})`;
};

const failOver = ({ replicas }: ServerReport, minReplicas: number): string => {
  if (replicas === undefined) return 'replicas unknown';
  if (replicas === 0) return 'no replicas';
  const kept = minReplicas > 0 ? `, unless ${minReplicas} of them have them` : '';
  return `a fail-over to one of ${replicas} replica(s) may lose the latest locks${kept}`;
};

const evictionText = ({ memoryLimit, evictionPolicy }: ServerReport): string => {
  if (memoryLimit === undefined || evictionPolicy === undefined) return 'eviction unknown';
  if (memoryLimit === 0) return 'no memory limit';
  return evictionPolicy === 'noeviction' ? 'nothing is evicted' : `locks may be evicted (${evictionPolicy})`;
};

const messages = ({ publish, hearsMessages }: ServerReport): string => {
  if (hearsMessages === undefined) return `messages by ${publish}, not tested`;
  return hearsMessages ? `messages by ${publish}` : 'no messages';
};

const rights = ({ lacks: { rules }, untold }: ServerReport): string => {
  if (rules.length > 0) return `rights missing: ${rules.join(' ')}`;
  return untold.length > 0 ? `all rights except ${untold.join(' ')}` : 'all rights';
};

/** One line: what is guaranteed here, and what is not. */
export const summaryOf = (
  where: string,
  servers: readonly ServerReport[],
  { minReplicas, restartGuard }: LossProtection,
): string => {
  const parts = [
    'locks exclude each other as long as their server keeps its data',
    ofAll(servers, crash),
    ofAll(servers, (server) => failOver(server, minReplicas)),
    restartGuard > 0 ? `restart guard of ${restartGuard} ms` : 'no restart guard',
    ofAll(servers, evictionText),
    ofAll(servers, messages),
    ofAll(servers, rights),
  ];
  return `${ofAll(servers, version)}, ${where}: ${parts.join('; ')}`;
};
