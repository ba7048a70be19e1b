import type { RedisOptions } from 'ioredis';
import {
  type ClusterClient,
  type ClusterInput,
  type ClusterSeed,
  isClusterClient,
  type ServerInput,
} from '../connection/connection-input.js';
import { invalidConnection } from '../connection/invalid-connection.js';
import { parseConnectionUrl } from '../connection/connection-url.js';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 6379;

/** Address of a server: `host:port`, as it can be reached from here. */
export type Address = string;

/** Addresses of the servers of a cluster, and the connections to them. */
export interface ClusterServers {
  /** The servers known from the start. */
  readonly seeds: readonly Address[];
  /** Connection options for one of them. */
  connectionTo(address: Address): ServerInput;
  /** The address at which a server can be reached from here that reports `host:port`. */
  reachable(host: string, port: number): Address;
}

const addressOf = (host: string, port: number): Address => `${host}:${port}`;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

export const portOf = (address: Address): number => Number(address.slice(address.lastIndexOf(':') + 1));

/** Servers that the client knows by now, and its startup nodes, which are missing in its types. */
export const seedsOf = (client: ClusterClient): readonly ClusterSeed[] => {
  const { startupNodes = [] } = client as ClusterClient & { readonly startupNodes?: readonly unknown[] };
  const seeds = [...client.nodes('all').map(({ options }) => options), ...startupNodes].map((node): ClusterSeed => {
    if (typeof node === 'string') return node;
    if (typeof node === 'number') return { host: DEFAULT_HOST, port: node };
    const { host = DEFAULT_HOST, port } = (node ?? {}) as RedisOptions;
    return { host, port };
  });
  if (seeds.length > 0) return seeds;
  throw invalidConnection(
    'is a Cluster client without known nodes; connect it first, or create it with start-up nodes',
  );
};

const optionsOfSeed = (seed: ClusterSeed): RedisOptions =>
  typeof seed === 'string' ? parseConnectionUrl(seed) : { host: seed.host, port: seed.port ?? DEFAULT_PORT };

export const clusterServers = (input: ClusterInput | ClusterClient): ClusterServers => {
  const [options, given] = isClusterClient(input) ? [input.options, seedsOf(input)] : [input, input.cluster];
  const { redisOptions = {}, natMap } = options;
  const seeds = given.map(optionsOfSeed);
  // A URL may contain user, password and TLS, which then apply to all servers.
  const { host: _host, port: _port, ...fromSeed } = seeds[0] ?? {};
  const shared: RedisOptions = { ...fromSeed, ...redisOptions };
  const mapped = (address: Address): { host: string; port: number } | null | undefined =>
    typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return {
    seeds: seeds.map(({ host = DEFAULT_HOST, port = DEFAULT_PORT }) => addressOf(host, port)),
    // A cluster has one database, and servers refer to each other by addresses, not by sockets.
    connectionTo: (address) => ({ ...shared, host: hostOf(address), port: portOf(address), db: 0 }),
    reachable: (host, port) => {
      const address = addressOf(host, port);
      const other = mapped(address);
      return other ? addressOf(other.host, other.port) : address;
    },
  };
};
