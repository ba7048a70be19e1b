import type { ClusterInput } from './cluster/cluster-input.js';
import { type ClusterServers, clusterServers } from './cluster/cluster-servers.js';
import { parseConnectionUrl } from './connection/connection-url.js';
import type { ServerTarget } from './connection/target.js';
import type { RedisDriver } from './driver/redis-driver.js';
import {
  driverOf,
  type GivenClient,
  type GivenCluster,
  isGivenClient,
  isGivenCluster,
  optionsOf,
} from './driver/given-client.js';
import { installedDriver } from './driver/drivers.js';
import type { ServerOptions } from './driver/server-options.js';

/** One server, or the master that Sentinels name: a URL, options, or a client. */
export type ServerInput = string | ServerOptions | GivenClient;

/**
 * A URL, options (with `sentinels` and `name` for Sentinel), `{ cluster: [...] }`, or a client of any of these, from which
 * connections are made: it is never changed, never closed.
 */
export type ConnectionInput = ServerInput | ClusterInput | GivenCluster;

/** Where locks are: one server, the master that Sentinels name, or a cluster. */
export type RedisTarget = ServerTarget | ClusterServers;

export const isClusterInput = (input: ConnectionInput): input is ClusterInput | GivenCluster =>
  isGivenCluster(input) || (typeof input === 'object' && !isGivenClient(input) && 'cluster' in input);

export const isCluster = (target: RedisTarget): target is ClusterServers => 'seeds' in target;

export const serverTarget = (input: ServerInput, driver: RedisDriver = installedDriver): ServerTarget => {
  if (typeof input === 'string') return { options: parseConnectionUrl(input), driver };
  if (isGivenClient(input)) return { options: optionsOf(input), driver: driverOf(input) };
  return { options: input, driver };
};

/** @param driver The one for connections without a given client. */
export const redisTarget = (input: ConnectionInput, driver: RedisDriver = installedDriver): RedisTarget =>
  isClusterInput(input) ? clusterServers(input, driver) : serverTarget(input, driver);
