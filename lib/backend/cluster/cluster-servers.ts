import type { RedisDriver } from '../driver/redis-driver.js';
import { type GivenCluster, isGivenCluster } from '../driver/given-client.js';
import type { ServerOptions } from '../driver/server-options.js';
import { parseConnectionUrl } from '../connection/connection-url.js';
import { reachable, type ServerTarget } from '../connection/target.js';
import { type AddressMap, type ClusterSeed, DEFAULT_HOST, DEFAULT_PORT } from '../driver/server-options.js';
import { type ClusterInput, ofGivenCluster } from './cluster-input.js';

/** Address of a server: `host:port`, as it can be reached from here. */
export type Address = string;

/** Addresses of the servers of a cluster, and the connections to them. */
export interface ClusterServers {
  /** The options for all of them: user, password, TLS, and the prefix of every name. */
  readonly options: ServerOptions;
  /** The driver of all connections. */
  readonly driver: RedisDriver;
  /** The servers known from the start. */
  readonly seeds: readonly Address[];
  /** The table in which {@link reachable} looks addresses up. */
  readonly natMap?: AddressMap | undefined;
  connectionTo(address: Address): ServerTarget;
  /** The address at which a server can be reached from here that reports `host:port`. */
  reachable(host: string, port: number): Address;
}

const addressOf = (host: string, port: number): Address => `${host}:${port}`;

export const hostOf = (address: Address): string => address.slice(0, address.lastIndexOf(':'));

export const portOf = (address: Address): number => Number(address.slice(address.lastIndexOf(':') + 1));

const optionsOfSeed = (seed: ClusterSeed): ServerOptions =>
  typeof seed === 'string' ? parseConnectionUrl(seed) : { host: seed.host, port: seed.port ?? DEFAULT_PORT };

/** @param installed The driver for a cluster that is not given by a client with one of its own. */
export const clusterServers = (given: ClusterInput | GivenCluster, installed: RedisDriver): ClusterServers => {
  const { input, driver = installed } = isGivenCluster(given) ? ofGivenCluster(given) : { input: given };
  const { redisOptions = {}, natMap, keyPrefix = redisOptions.keyPrefix } = input;
  const seeds = input.cluster.map(optionsOfSeed);
  // A URL may contain user, password and TLS, which then apply to all servers.
  const { host: _host, port: _port, ...fromSeed } = seeds[0] ?? {};
  const shared: ServerOptions = { ...fromSeed, ...redisOptions };
  return {
    options: { ...shared, keyPrefix },
    driver,
    seeds: seeds.map(({ host = DEFAULT_HOST, port = DEFAULT_PORT }) => addressOf(host, Number(port))),
    natMap,
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
