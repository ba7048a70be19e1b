import { invalidConnection } from '../connection/invalid-connection.js';
import type { GivenCluster } from '../driver/given-client.js';
import type { IoredisCluster } from '../driver/ioredis-driver.js';
import {
  duplicatingNodeRedis,
  isNodeRedisCluster,
  type NodeRedisCluster,
  nodeRedisOptions,
  prefixOf,
} from '../driver/node-redis-driver.js';
import type { RedisDriver } from '../driver/redis-driver.js';
import type { AddressMap, ServerAddress, ServerOptions } from '../driver/server-options.js';

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

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 6379;

/** The cluster of a client that a user gives. */
interface OfGivenCluster {
  readonly input: ClusterInput;
  /** Default: that of the installed library. */
  readonly driver?: RedisDriver;
}

/** @throws LockOptionsError if the client does not tell where the cluster is. */
export const ofGivenCluster = (client: GivenCluster): OfGivenCluster =>
  isNodeRedisCluster(client) ? ofNodeRedis(client) : { input: ofIoredis(client) };

const unknownNodes = (): Error =>
  invalidConnection('is a client of a cluster that knows no nodes; connect it first, or give { cluster: [nodes] }');

const ofIoredis = (client: IoredisCluster): ClusterInput => {
  const { redisOptions, natMap, keyPrefix, useSRVRecords } = client.options;
  if (useSRVRecords) {
    throw invalidConnection(
      'is a Cluster client that uses SRV records, which are not supported here; give { cluster: [nodes] }',
    );
  }
  // Its start-up nodes are missing in its types.
  const { startupNodes = [] } = client as IoredisCluster & { readonly startupNodes?: readonly unknown[] };
  const cluster = [...client.nodes('all').map(({ options }) => options), ...startupNodes].map((node): ClusterSeed => {
    if (typeof node === 'string') return node;
    if (typeof node === 'number') return { host: DEFAULT_HOST, port: node };
    const { host = DEFAULT_HOST, port } = (node ?? {}) as ServerOptions;
    return { host, port };
  });
  if (cluster.length === 0) throw unknownNodes();
  return { cluster, redisOptions, natMap: natMap ?? undefined, keyPrefix };
};

/** Its own options are private, and those of the connections to its nodes are not. */
const ofNodeRedis = ({ masters, replicas, _keyPrefix }: NodeRedisCluster): OfGivenCluster => {
  const nodes = [...masters, ...replicas].flatMap(({ address, client }) => (client ? [{ address, client }] : []));
  const [first] = nodes;
  if (!first) throw unknownNodes();
  const natMap: Record<string, ServerAddress> = {};
  for (const { address, client } of nodes) {
    const { host = DEFAULT_HOST, port = DEFAULT_PORT } = nodeRedisOptions(client);
    natMap[address] = { host, port: Number(port) };
  }
  const { username, password, tls, keyPrefix = prefixOf(_keyPrefix) } = nodeRedisOptions(first.client);
  return {
    input: { cluster: Object.values(natMap), redisOptions: { username, password, tls }, natMap, keyPrefix },
    driver: duplicatingNodeRedis(first.client),
  };
};
