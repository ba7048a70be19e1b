import type { RedisDriver } from '../driver/redis-driver.js';
import { type GivenCluster, isGivenCluster } from '../driver/given-client.js';
import type { AddressMap, ServerOptions } from '../driver/server-options.js';
import { invalidConnection } from '../connection/invalid-connection.js';
import { parseConnectionUrl } from '../connection/connection-url.js';
import { reachable, type ServerTarget } from '../connection/target.js';

/** One server of a cluster from which the others are learned: a URL, or host and port. */
export type ClusterSeed = string | { readonly host: string; readonly port?: number | string | undefined };

/** A Redis Cluster. */
export interface ClusterInput {
  /** Some of its servers; the others are learned from them. */
  readonly cluster: readonly ClusterSeed[];
  /** Options for every server: user, password, TLS. */
  readonly redisOptions?: ServerOptions | undefined;
  /** Reachable addresses of servers that report addresses of another network, by `host:port`. */
  readonly natMap?: AddressMap | undefined;
  /** Prefix of every name. Default: none. */
  readonly keyPrefix?: string | undefined;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 6379;

/** Address of a server: `host:port`, as it can be reached from here. */
export type Address = string;

/** Addresses of the servers of a cluster, and the connections to them. */
export interface ClusterServers {
  /** The options for all of them: user, password, TLS, and the prefix of every name. */
  readonly options: ServerOptions;
  /** The servers known from the start. */
  readonly seeds: readonly Address[];
  connectionTo(address: Address): ServerTarget;
  /** The address at which a server can be reached from here that reports `host:port`. */
  reachable(host: string, port: number): Address;
}

const addressOf = (host: string, port: number): Address => `${host}:${port}`;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

export const portOf = (address: Address): number => Number(address.slice(address.lastIndexOf(':') + 1));

/** Servers that the client knows by now, and its startup nodes, which are missing in its types. */
export const seedsOf = (client: GivenCluster): readonly ClusterSeed[] => {
  const { startupNodes = [] } = client as GivenCluster & { readonly startupNodes?: readonly unknown[] };
  const seeds = [...client.nodes('all').map(({ options }) => options), ...startupNodes].map((node): ClusterSeed => {
    if (typeof node === 'string') return node;
    if (typeof node === 'number') return { host: DEFAULT_HOST, port: node };
    const { host = DEFAULT_HOST, port } = (node ?? {}) as ServerOptions;
    return { host, port };
  });
  if (seeds.length > 0) return seeds;
  throw invalidConnection(
    'is a Cluster client without known nodes; connect it first, or create it with start-up nodes',
  );
};

const optionsOfSeed = (seed: ClusterSeed): ServerOptions =>
  typeof seed === 'string' ? parseConnectionUrl(seed) : { host: seed.host, port: seed.port ?? DEFAULT_PORT };

export const clusterServers = (input: ClusterInput | GivenCluster, driver: RedisDriver): ClusterServers => {
  const [options, given] = isGivenCluster(input) ? [input.options, seedsOf(input)] : [input, input.cluster];
  const { redisOptions = {}, natMap, keyPrefix = redisOptions.keyPrefix } = options;
  const seeds = given.map(optionsOfSeed);
  // A URL may contain user, password and TLS, which then apply to all servers.
  const { host: _host, port: _port, ...fromSeed } = seeds[0] ?? {};
  const shared: ServerOptions = { ...fromSeed, ...redisOptions };
  return {
    options: { ...shared, keyPrefix },
    seeds: seeds.map(({ host = DEFAULT_HOST, port = DEFAULT_PORT }) => addressOf(host, Number(port))),
    // A cluster has one database, and servers refer to each other by addresses, not by sockets.
    connectionTo: (address) => ({
      options: { ...shared, host: hostOf(address), port: portOf(address), db: 0 },
      driver,
    }),
    reachable: (host, port) => {
      const mapped = reachable({ natMap }, host, String(port));
      return addressOf(mapped.host, mapped.port);
    },
  };
};
