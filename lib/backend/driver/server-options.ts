import type { ConnectionOptions } from 'node:tls';

/** Address of a server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Map from the addresses that servers report to those at which they can be reached from here; `null` keeps an address.
 */
export type AddressMap = Readonly<Record<string, ServerAddress>> | ((address: string) => ServerAddress | null);

/** Address of a Sentinel. */
export interface SentinelAddress {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: 26379. */
  readonly port?: number | string | undefined;
}

/**
 * One server, or the master that Sentinels name: where it is, and as whom to log in. The names are those of ioredis,
 * whose other options may stand beside them.
 */
export interface ServerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: 6379. Also as text, as environment variables give it. */
  readonly port?: number | string | undefined;
  /** Path of a Unix socket, in place of host and port. */
  readonly path?: string | undefined;
  /** Version of the Internet protocol by which host names are resolved, 4 or 6. Default: either. */
  readonly family?: number | undefined;
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  /** Number of the database, also as text. Default: 0. */
  readonly db?: number | string | undefined;
  /** TLS, with these options of Node, or with its defaults. Default: none. */
  readonly tls?: ConnectionOptions | true | undefined;
  /** Prefix of every name. Default: none. */
  readonly keyPrefix?: string | undefined;
  /** Sentinels that know the master, in place of host and port. */
  readonly sentinels?: readonly SentinelAddress[] | undefined;
  /** Name that the Sentinels have for the master. */
  readonly name?: string | undefined;
  readonly sentinelUsername?: string | null | undefined;
  readonly sentinelPassword?: string | null | undefined;
  /** TLS to the Sentinels. Default: none. */
  readonly sentinelTLS?: ConnectionOptions | undefined;
  /** Whether `tls` applies to the master that Sentinels name. Default: no. */
  readonly enableTLSForSentinelMode?: boolean | undefined;
  /** Reachable addresses of servers that Sentinels report in another network, by `host:port`. */
  readonly natMap?: AddressMap | null | undefined;
}

/** One server of a cluster from which the others are learned: a URL, or host and port. */
export type ClusterSeed = string | { readonly host: string; readonly port?: number | string | undefined };

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 6379;

/** Addresses of a cluster, as a client of it tells them. */
export interface ClusterAddresses {
  /** Some of its servers; none, if it is not connected. */
  readonly cluster: readonly ClusterSeed[];
  /** Options for every server: user, password, TLS. */
  readonly redisOptions?: ServerOptions | undefined;
  /** Reachable addresses of servers that report addresses of another network, by `host:port`. */
  readonly natMap?: AddressMap | undefined;
  /** Prefix of every name. Default: none. */
  readonly keyPrefix?: string | undefined;
}

/**
 * Options that are accepted: those above, and the others of ioredis 5.4 to 6.0, which are left to it or have no effect.
 */
export const KNOWN_OPTIONS = [
  'Connector',
  'autoPipeliningIgnoredCommands',
  'autoResendUnfulfilledCommands',
  'autoResubscribe',
  'blockingTimeout',
  'blockingTimeoutGrace',
  'clientInfoTag',
  'commandQueue',
  'commandTimeout',
  'connectTimeout',
  'connectionName',
  'db',
  'disableClientInfo',
  'disconnectTimeout',
  'enableAutoPipelining',
  'enableOfflineQueue',
  'enableReadyCheck',
  'enableTLSForSentinelMode',
  'failoverDetector',
  'family',
  'himportFieldsets',
  'host',
  'keepAlive',
  'keyPrefix',
  'lazyConnect',
  'maxLoadingRetryTime',
  'maxRetriesPerRequest',
  'monitor',
  'name',
  'natMap',
  'noDelay',
  'offlineQueue',
  'password',
  'path',
  'port',
  'preferredSlaves',
  'protocol',
  'readOnly',
  'reconnectOnError',
  'replyMapping',
  'retryStrategy',
  'role',
  'scripts',
  'sentinelCommandTimeout',
  'sentinelMaxConnections',
  'sentinelPassword',
  'sentinelReconnectStrategy',
  'sentinelRetryStrategy',
  'sentinelTLS',
  'sentinelUsername',
  'sentinels',
  'showFriendlyErrorStack',
  'socketTimeout',
  'stringNumbers',
  'tls',
  'updateSentinels',
  'username',
] as const;
