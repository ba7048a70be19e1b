import type { RedisOptions } from 'ioredis';
import { LockOptionsError } from '../../../errors.js';
import {
  type AddressMap,
  type ClusterClient,
  type ClusterInput,
  type ClusterSeed,
  isClusterClient,
  type ServerInput,
} from '../connection-input.js';
import { optionsOfUrl } from '../connection-url.js';

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

const partsOf = (address: Address): { host: string; port: number } => {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
};

/** What an ioredis `Cluster` says of itself; in part not in its types. */
interface ClusterFacts {
  readonly options: {
    readonly redisOptions?: RedisOptions | undefined;
    readonly natMap?: AddressMap | undefined;
    readonly useSRVRecords?: boolean | undefined;
  };
  readonly startupNodes?: readonly unknown[];
  nodes?(role: 'all'): readonly { readonly options: RedisOptions }[];
}

const factsOf = (client: ClusterClient): ClusterFacts => client as unknown as ClusterFacts;

const seedsOf = (client: ClusterFacts): readonly ClusterSeed[] => {
  const known = (client.nodes?.('all') ?? []).map(({ options }) => options as unknown);
  const seeds = [...known, ...(client.startupNodes ?? [])].flatMap((node): ClusterSeed[] => {
    if (typeof node === 'string') return [node];
    if (typeof node === 'number') return [{ host: '127.0.0.1', port: node }];
    const { host, port } = (node ?? {}) as RedisOptions;
    return [{ host: host ?? '127.0.0.1', port }];
  });
  if (seeds.length > 0) return seeds;
  throw new LockOptionsError('connection is a Cluster client that knows no servers', {
    details: { option: 'connection' },
  });
};

const optionsOfSeed = (seed: ClusterSeed): RedisOptions =>
  typeof seed === 'string' ? optionsOfUrl(seed) : { host: seed.host, port: seed.port ?? DEFAULT_PORT };

export const clusterServers = (input: ClusterInput | ClusterClient): ClusterServers => {
  const facts = isClusterClient(input) ? factsOf(input) : undefined;
  const { redisOptions = {}, natMap } = facts?.options ?? (input as ClusterInput);
  const seeds = (facts ? seedsOf(facts) : (input as ClusterInput).cluster).map(optionsOfSeed);
  // A URL may carry user, password and TLS, which then hold for all servers.
  const { host: _host, port: _port, ...fromSeed } = seeds[0] ?? {};
  const shared: RedisOptions = { ...fromSeed, ...redisOptions };
  const mapped = (address: Address): { host: string; port: number } | null | undefined =>
    typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return {
    seeds: seeds.map(({ host = '127.0.0.1', port = DEFAULT_PORT }) => addressOf(host, port)),
    // A cluster has one database, and servers name each other by addresses, not by sockets.
    connectionTo: (address) => ({ ...shared, ...partsOf(address), db: 0 }),
    reachable: (host, port) => {
      const address = addressOf(host, port);
      const other = mapped(address);
      return other ? addressOf(other.host, other.port) : address;
    },
  };
};
