import type { RedisOptions } from 'ioredis';
import { type GivenClient, isRedisClient } from './redis-client.js';
import { parseConnectionUrl } from './connection-url.js';

/** One server of a cluster from which the others are learned: a URL, or host and port. */
export type ClusterSeed = string | { readonly host: string; readonly port?: number | undefined };

/**
 * Map from the addresses that servers report to those at which they can be reached from here; `null` keeps an address.
 */
export type AddressMap =
  | Readonly<Record<string, { readonly host: string; readonly port: number }>>
  | ((address: string) => { readonly host: string; readonly port: number } | null);

/** A Redis Cluster. */
export interface ClusterInput {
  /** Some of its servers; the others are learned from them. */
  readonly cluster: readonly ClusterSeed[];
  /** ioredis options for every server: user, password, TLS. */
  readonly redisOptions?: RedisOptions | undefined;
  /** Reachable addresses of servers that report addresses of another network, by `host:port`. */
  readonly natMap?: AddressMap | undefined;
  /** Prefix of every name. Default: none. */
  readonly keyPrefix?: string | undefined;
}

/** One server, or the master that Sentinels name: a URL, ioredis options, or a client, which is duplicated. */
export type ServerInput = string | RedisOptions | GivenClient;

/**
 * A URL, ioredis options (with `sentinels` and `name` for Sentinel), `{ cluster: [...] }`, or an ioredis client of any
 * of these: a client is duplicated, never changed, never closed.
 */
export type ConnectionInput = ServerInput | ClusterInput | ClusterClient;

/** The part of an ioredis `Cluster` that gives the addresses of its servers. No command is ever sent through it. */
export interface ClusterClient {
  readonly isCluster: boolean;
  readonly options: {
    readonly keyPrefix?: string | undefined;
    readonly redisOptions?: RedisOptions | undefined;
    readonly natMap?: AddressMap | undefined;
    readonly useSRVRecords?: boolean | undefined;
  };
  nodes(role: 'all'): readonly { readonly options: RedisOptions }[];
}

export const isClusterClient = (input: unknown): input is ClusterClient =>
  typeof input === 'object' && input !== null && 'isCluster' in input && input.isCluster === true && 'nodes' in input;

export const isCluster = (input: ConnectionInput): input is ClusterInput | ClusterClient =>
  isClusterClient(input) || (typeof input === 'object' && !isRedisClient(input) && 'cluster' in input);

export const hasSentinels = (input: ServerInput): boolean => {
  if (typeof input === 'string') return false;
  const { sentinels } = (isRedisClient(input) ? input.options : input) as { readonly sentinels?: unknown };
  return Array.isArray(sentinels);
};

/** The key prefix of the given connection. Our keys are built with it; our own connections have none. */
export const keyPrefixOf = (input: ConnectionInput): string => {
  if (typeof input === 'string') return '';
  const options: { readonly keyPrefix?: string | undefined; readonly redisOptions?: RedisOptions | undefined } =
    isRedisClient(input) || isClusterClient(input) ? input.options : input;
  return options.keyPrefix ?? options.redisOptions?.keyPrefix ?? '';
};

const DEFAULT_PORT = 6379;

const textOr = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

/**
 * Address of a connection, without user and password: the path of a socket, or `host:port`. Two connections with one
 * address lead to one server, whatever database they select there.
 */
export const nodeAddress = (input: ServerInput): string => {
  const options: object =
    typeof input === 'string' ? parseConnectionUrl(input) : isRedisClient(input) ? input.options : input;
  const { path, host, port } = options as Readonly<Record<string, unknown>>;
  if (typeof path === 'string' && path !== '') return path;
  const name = textOr(host, 'localhost').toLowerCase();
  // As in a URL, which has brackets around an IPv6 address.
  const shown = name === 'localhost' ? '127.0.0.1' : name.includes(':') ? `[${name}]` : name;
  return `${shown}:${Number(port ?? DEFAULT_PORT)}`;
};
export interface TransportSettings {
  /** Longest time one command may take, ms. */
  readonly commandTimeout: number;
  /** The longest lease that a restarted or promoted server may have forgotten, ms. Default: 0, none. */
  readonly restartGuard?: number;
  /** Whether messages in a cluster stay with the shard of their lock. Default: `auto`, if the servers support it. */
  readonly shardedPubSub?: 'auto' | boolean;
}
