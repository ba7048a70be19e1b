import type { RedisDriver } from '../driver/redis-driver.js';
import type { SentinelAddress, ServerAddress, ServerOptions } from '../driver/server-options.js';

/** One server, or the master that Sentinels name, and the driver of connections to it. */
export interface ServerTarget {
  readonly options: ServerOptions;
  readonly driver: RedisDriver;
}

export interface TransportSettings {
  /** Longest time one command may take, ms. */
  readonly commandTimeout: number;
  /** The longest lease that a restarted or promoted server may have forgotten, ms. Default: 0, none. */
  readonly restartGuard?: number;
  /** Whether messages in a cluster stay with the shard of their lock. Default: `auto`, if the servers support it. */
  readonly shardedPubSub?: 'auto' | boolean;
}

/** Target and user of a connection, as far as they may be shown: never with a password. */
export interface Endpoint {
  /** `host:port`, the path of a socket, or `master "name" of Sentinels`. */
  readonly server: string;
  /** The user that logs in. `undefined` without a login: a user without a password is hardly meant as one. */
  readonly user: string | undefined;
  readonly database: number;
  readonly isSecure: boolean;
  /** `host:port` of the Sentinels that are asked for the master. */
  readonly sentinels: readonly string[];
}

const DEFAULT_PORT = 6379;
const SENTINEL_PORT = 26_379;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const hasSentinels = ({ sentinels }: ServerOptions): boolean => Array.isArray(sentinels);

/** The Sentinels that are asked for the master, as options to connect to them. */
export const sentinelsOf = (options: ServerOptions): readonly ServerOptions[] =>
  (options.sentinels ?? []).map((sentinel) => sentinelAt(options, sentinel));

export const sentinelAt = (options: ServerOptions, { host, port }: SentinelAddress): ServerOptions => ({
  ...{ host: isText(host) ? host : '127.0.0.1', port: Number(port ?? SENTINEL_PORT), family: options.family },
  ...{ username: options.sentinelUsername, password: options.sentinelPassword, tls: options.sentinelTLS },
  ...NO_SENTINELS,
});

/** Names every option that leads elsewhere: those of a given client would remain. */
const NO_SENTINELS: ServerOptions = { path: undefined, sentinels: undefined, name: undefined };

/** Where a server can be reached from here that others report at this address. */
export const reachable = ({ natMap }: ServerOptions, host: string, port: string): ServerAddress => {
  const reported = `${host}:${port}`;
  const mapped = typeof natMap === 'function' ? natMap(reported) : natMap?.[reported];
  return mapped || { host, port: Number(port) };
};

/** The options for the master that Sentinels have named. */
export const masterAt = (options: ServerOptions, { host, port }: ServerAddress): ServerOptions => ({
  ...{ ...options, host, port, ...NO_SENTINELS },
  tls: options.enableTLSForSentinelMode === true ? options.tls : undefined,
});

/**
 * Address of a server, without user and password: the path of a socket, or `host:port`. Two connections with one address
 * lead to one server, whatever database they select there.
 */
export const addressOf = ({ path, host, port }: ServerOptions): string => {
  if (isText(path)) return path;
  const name = isText(host) ? host.toLowerCase() : 'localhost';
  // As in a URL, which has brackets around an IPv6 address.
  const shown = name === 'localhost' ? '127.0.0.1' : name.includes(':') ? `[${name}]` : name;
  return `${shown}:${Number(port ?? DEFAULT_PORT)}`;
};

export const endpointOf = (options: ServerOptions): Endpoint => {
  const { username, password, db, tls, name } = options;
  return {
    server: hasSentinels(options) ? `master "${String(name)}" of Sentinels` : addressOf(options),
    user: isText(password) ? (isText(username) ? username : 'default') : undefined,
    database: Number(db ?? 0),
    // `tls: true` is what a client may make of a rediss:// URL.
    isSecure: Boolean(tls),
    sentinels: sentinelsOf(options).map(addressOf),
  };
};
