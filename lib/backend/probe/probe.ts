import { isRedisClient } from '../connection/redis-client.js';
import {
  type ConnectionInput,
  hasSentinels,
  isCluster,
  isClusterClient,
  type ServerInput,
} from '../connection/connection-input.js';
import { parseConnectionUrl } from '../connection/connection-url.js';
import { endpointOf } from '../connection/endpoint.js';
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
}

type Options = Readonly<Record<string, unknown>>;

/** Address of a connection, without secrets. */
export const describeConnection = (input: ConnectionInput): string => {
  if (isCluster(input)) return 'cluster';
  return endpointOf(input).server;
};

/**
 * Inspects the server or the servers of a connection, on connections that are closed afterwards.
 * @throws LockUnavailableError if one does not answer now.
 */
export const probeConnection = async (
  input: ConnectionInput,
  settings: ProbeSettings,
  terms: ProbeTerms,
): Promise<Findings> => {
  if (!isCluster(input)) return findings(input, [await lookAt(input, settings, terms)], settings);
  const use = { replicaCommand: replicaCommandOf(settings), guardsRestarts: settings.restartGuard > 0 };
  return findings(input, await lookAtCluster(input, { ...settings, use }, terms), settings);
};

/** Inspects nodes that are to be independent of each other. */
export class NodesProbe {
  private readonly seen = new Map<string, ServerReport>();

  constructor(
    private readonly settings: ProbeSettings,
    private readonly terms: ProbeTerms,
  ) {}

  /** @throws LockUnavailableError if the node does not answer now. */
  async probe(input: ServerInput): Promise<Findings> {
    const server = await lookAt(input, this.settings, this.terms);
    const otherNodes = [...this.seen.values()].filter(({ address }) => address !== server.address);
    this.seen.set(server.address, server);
    return findings(input, [server], this.settings, otherNodes);
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
  input: ServerInput,
  { keyPrefix, restartGuard, ...settings }: ProbeSettings,
  terms: ProbeTerms,
): Promise<ServerReport> => {
  const place = { input, address: describeConnection(input), names: probeNames(keyPrefix) };
  const use = {
    isCluster: false,
    publish: 'PUBLISH',
    database: Number(optionsOf(input)['db'] ?? 0),
    replicaCommand: replicaCommandOf(settings),
    guardsRestarts: restartGuard > 0,
  } as const;
  return lookAtServer(place, use, terms);
};

const findings = (
  input: ConnectionInput,
  servers: readonly ServerReport[],
  { minReplicas, needsDisk, restartGuard, isPrefixChosen }: ProbeSettings,
  otherNodes: readonly ServerReport[] = [],
): Findings => {
  const expected: Expectations = { isCluster: isCluster(input), minReplicas, needsDisk, otherNodes };
  const doubts = servers.flatMap((server) => doubtsAbout(server, expected));
  const where = isCluster(input)
    ? `cluster of ${servers.length} master(s)`
    : `${hasSentinels(input) ? '' : 'one server at '}${describeConnection(input)}`;
  return {
    summary: summaryOf(where, servers, { minReplicas, restartGuard }),
    dangers: servers.flatMap((server) => dangersOf(server, expected)),
    doubts: [...new Set([...doubts, ...unverified(input), ...(isPrefixChosen ? [] : [NO_PREFIX])])],
  };
};

const NO_PREFIX =
  'no keyPrefix is set, so a lock may have the same key as other data of the application: ' +
  "set one such as 'lock:', or '' if lock names differ from all other keys";

const unverified = (input: ConnectionInput): readonly string[] => {
  const options = optionsOf(input);
  const perServer: Options = { ...(options['redisOptions'] as object | undefined) };
  const isUnverified = [options['tls'], options['sentinelTLS'], perServer['tls']].some(
    (tls) => typeof tls === 'object' && tls !== null && 'rejectUnauthorized' in tls && tls.rejectUnauthorized === false,
  );
  return isUnverified
    ? ['the certificate is not verified (rejectUnauthorized: false), so another machine may pose as the server']
    : [];
};

const optionsOf = (input: ConnectionInput): Options => {
  const options: object =
    typeof input === 'string'
      ? parseConnectionUrl(input)
      : isRedisClient(input) || isClusterClient(input)
        ? input.options
        : input;
  return options as Options;
};
