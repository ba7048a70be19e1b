import { endpointOf, hasSentinels, type ServerTarget } from '../connection/target.js';
import type { ServerOptions } from '../driver/server-options.js';
import { isCluster, type RedisTarget } from '../redis-target.js';
import { dangersOf, doubtsAbout, type Expectations, type ProbeError, summaryOf } from './findings.js';
import { lookAtCluster } from './inspect-cluster.js';
import { type IntendedUse, lookAtServer, type ServerReport } from './inspect-server.js';
import { probeNames } from './probe-names.js';
import type { ProbeTerms } from './probe-connection.js';

export interface ProbeSettings {
  readonly keyPrefix: string;
  readonly shardedPubSub: 'auto' | boolean;
  /** Number of replicas that must have a lock; 0: none. */
  readonly minReplicas: number;
  /** Whether the master and these replicas must have it on disk. */
  readonly needsDisk: boolean;
  /** Milliseconds; 0: none. */
  readonly restartGuard: number;
  /** Whether a prefix was given, even `''`, or is not needed. */
  readonly isPrefixChosen: boolean;
}

/** Result of the inspection of the servers of one connection. */
export interface Findings {
  /** The guarantees in one line. */
  readonly summary: string;
  readonly dangers: readonly ProbeError[];
  /** Findings that are not dangerous but hardly intended. */
  readonly doubts: readonly string[];
  /** The database of whose keys the server tells each deletion; `undefined`: of none, or that is not known. */
  readonly notifiedDatabase: number | undefined;
}

/** Address of a connection, without secrets. */
export const describeConnection = (target: RedisTarget): string => {
  if (isCluster(target)) return 'cluster';
  return endpointOf(target.options).server;
};

/**
 * Inspects the server or the servers of a connection, on connections that are closed afterwards.
 * @throws LockUnavailableError if one does not answer now.
 */
export const probeConnection = async (
  target: RedisTarget,
  settings: ProbeSettings,
  terms: ProbeTerms,
): Promise<Findings> => {
  if (!isCluster(target)) return findings(target, [await lookAt(target, settings, terms)], settings);
  const use = { replicaCommand: replicaCommandOf(settings), guardsRestarts: settings.restartGuard > 0 };
  return findings(target, await lookAtCluster(target, { ...settings, use }, terms), settings);
};

/** Inspects nodes that are to be independent of each other. */
export class NodesProbe {
  private readonly seen = new Map<string, ServerReport>();

  constructor(
    private readonly settings: ProbeSettings,
    private readonly terms: ProbeTerms,
  ) {}

  /** @throws LockUnavailableError if the node does not answer now. */
  async probe(target: ServerTarget): Promise<Findings> {
    const server = await lookAt(target, this.settings, this.terms);
    const otherNodes = [...this.seen.values()].filter(({ address }) => address !== server.address);
    this.seen.set(server.address, server);
    return findings(target, [server], this.settings, otherNodes);
  }
}

const replicaCommandOf = ({
  minReplicas,
  needsDisk,
}: Pick<ProbeSettings, 'minReplicas' | 'needsDisk'>): IntendedUse['replicaCommand'] => {
  if (minReplicas === 0) return undefined;
  return needsDisk ? 'WAITAOF' : 'WAIT';
};

const lookAt = (
  target: ServerTarget,
  { keyPrefix, restartGuard, ...settings }: ProbeSettings,
  terms: ProbeTerms,
): Promise<ServerReport> => {
  const place = { target, address: describeConnection(target), names: probeNames(keyPrefix) };
  const use = {
    isCluster: false,
    publish: 'PUBLISH',
    database: Number(target.options.db ?? 0),
    replicaCommand: replicaCommandOf(settings),
    guardsRestarts: restartGuard > 0,
  } as const;
  return lookAtServer(place, use, terms);
};

const findings = (
  target: RedisTarget,
  servers: readonly ServerReport[],
  { minReplicas, needsDisk, restartGuard, isPrefixChosen }: ProbeSettings,
  otherNodes: readonly ServerReport[] = [],
): Findings => {
  const expected: Expectations = { isCluster: isCluster(target), minReplicas, needsDisk, otherNodes };
  const doubts = servers.flatMap((server) => doubtsAbout(server, expected));
  const where = isCluster(target)
    ? `cluster of ${servers.length} master(s)`
    : `${hasSentinels(target.options) ? '' : 'one server at '}${describeConnection(target)}`;
  return {
    summary: summaryOf(`${where}, by ${target.driver.name}`, servers, { minReplicas, restartGuard }),
    dangers: servers.flatMap((server) => dangersOf(server, expected)),
    doubts: [...new Set([...doubts, ...unverified(target.options), ...(isPrefixChosen ? [] : [NO_PREFIX])])],
    notifiedDatabase: notifiedDatabaseOf(target, servers),
  };
};

/** None in a cluster: what a node tells of its keys stays there, and other messages go to the shards. */
const notifiedDatabaseOf = (target: RedisTarget, servers: readonly ServerReport[]): number | undefined => {
  const tells = !isCluster(target) && servers.every(({ tellsDeletions }) => tellsDeletions);
  return tells ? endpointOf(target.options).database : undefined;
};

const NO_PREFIX =
  'no keyPrefix is set, so a lock may have the same key as other data of the application: ' +
  "set one such as 'lock:', or '' if lock names differ from all other keys";

const unverified = ({ tls, sentinelTLS }: ServerOptions): readonly string[] => {
  const isUnverified = [tls, sentinelTLS].some(
    (options) => typeof options === 'object' && options.rejectUnauthorized === false,
  );
  return isUnverified
    ? ['the certificate is not verified (rejectUnauthorized: false), so another machine may pose as the server']
    : [];
};
