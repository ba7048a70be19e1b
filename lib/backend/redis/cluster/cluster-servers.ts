import type { RedisOptions } from 'ioredis';
import { LockOptionsError } from '../../../errors.js';
import {
  type ClusterClient,
  type ClusterInput,
  type ClusterSeed,
  isClusterClient,
  type ServerInput,
} from '../connection/connection-input.js';
import { optionsOfUrl } from '../connection/connection-url.js';
import type { NodeExecutor } from '../commands/node-executor.js';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 6379;

/** Where a server is: `host:port`, as it can be reached from here. */
export type Address = string;

/** How the servers of a cluster are reached. */
export interface ClusterServers {
  /** Those that are known from the start. */
  readonly seeds: readonly Address[];
  /** What to connect with to one of them. */
  connectionTo(address: Address): ServerInput;
  /** The address under which a server can be reached from here that says it is at `host:port`. */
  reachable(host: string, port: number): Address;
}

export const addressOf = (host: string, port: number): Address => `${host}:${port}`;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

const portOf = (address: Address): number => Number(address.slice(address.lastIndexOf(':') + 1));

/** Servers that the client knows by now, and those it was given, which is not in its types. */
const seedsOf = (client: ClusterClient): readonly ClusterSeed[] => {
  const { startupNodes = [] } = client as ClusterClient & { readonly startupNodes?: readonly unknown[] };
  const seeds = [...client.nodes('all').map(({ options }) => options), ...startupNodes].map((node): ClusterSeed => {
    if (typeof node === 'string') return node;
    if (typeof node === 'number') return { host: DEFAULT_HOST, port: node };
    const { host = DEFAULT_HOST, port } = (node ?? {}) as RedisOptions;
    return { host, port };
  });
  if (seeds.length > 0) return seeds;
  throw new LockOptionsError('connection is a Cluster client that knows no servers', {
    details: { option: 'connection' },
  });
};

const optionsOfSeed = (seed: ClusterSeed): RedisOptions =>
  typeof seed === 'string' ? optionsOfUrl(seed) : { host: seed.host, port: seed.port ?? DEFAULT_PORT };

export const clusterServers = (input: ClusterInput | ClusterClient): ClusterServers => {
  const [options, given] = isClusterClient(input) ? [input.options, seedsOf(input)] : [input, input.cluster];
  const { redisOptions = {}, natMap } = options;
  const seeds = given.map(optionsOfSeed);
  // A URL may carry user, password and TLS, which then hold for all servers.
  const { host: _host, port: _port, ...fromSeed } = seeds[0] ?? {};
  const shared: RedisOptions = { ...fromSeed, ...redisOptions };
  const mapped = (address: Address): { host: string; port: number } | null | undefined =>
    typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return {
    seeds: seeds.map(({ host = DEFAULT_HOST, port = DEFAULT_PORT }) => addressOf(host, port)),
    // A cluster has one database, and servers name each other by addresses, not by sockets.
    connectionTo: (address) => ({ ...shared, host: hostOf(address), port: portOf(address), db: 0 }),
    reachable: (host, port) => {
      const address = addressOf(host, port);
      const other = mapped(address);
      return other ? addressOf(other.host, other.port) : address;
    },
  };
};

/**
 * Redisson's rule: messages stay with the shard of their lock where the servers know how to (Redis 7). One that refuses
 * the question by its name knows it as well.
 */
export const askWhetherSharded = async (node: Pick<NodeExecutor, 'ask' | 'deadline'>): Promise<boolean> => {
  const deadline = node.deadline();
  try {
    await node.ask((client) => client.pubsub('SHARDNUMSUB'), deadline);
    return true;
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    const text = cause instanceof Error ? cause.message : '';
    if (/NOPERM.*shardnumsub/i.test(text)) return true;
    // Only what a server said of the question is an answer.
    if (/^(ERR|NOPERM)\b/.test(text)) return false;
    throw error;
  }
};
