import type { RedisDriver } from './redis-driver.js';
import {
  duplicatingIoredis,
  type IoredisClient,
  type IoredisCluster,
  isIoredisClient,
  isIoredisCluster,
} from './ioredis-driver.js';
import {
  duplicatingNodeRedis,
  isNodeRedisClient,
  isNodeRedisCluster,
  type NodeRedisClient,
  type NodeRedisCluster,
  nodeRedisOptions,
} from './node-redis-driver.js';
import type { ServerOptions } from './server-options.js';

/** A client that a user gives. Connections of our own are made from it; it is never changed, never closed. */
export type GivenClient = IoredisClient | NodeRedisClient;

/** A client of a cluster that a user gives. */
export type GivenCluster = IoredisCluster | NodeRedisCluster;

export const isGivenClient = (given: unknown): given is GivenClient =>
  isIoredisClient(given) || isNodeRedisClient(given);

export const isGivenCluster = (given: unknown): given is GivenCluster =>
  isIoredisCluster(given) || isNodeRedisCluster(given);

/** Whether it has the methods of a client, but no connection. */
export const isImitation = (client: GivenClient): boolean =>
  !isNodeRedisClient(client) && typeof client.isCluster !== 'boolean';

/** Whether a client was closed. One of node-redis does not tell that from one that was never opened. */
export const isClosed = (client: GivenClient): boolean => !isNodeRedisClient(client) && client.status === 'end';

/** The driver of the library that has made a client. */
export const driverOf = (client: GivenClient): RedisDriver =>
  isNodeRedisClient(client) ? duplicatingNodeRedis(client) : duplicatingIoredis(client);

export const optionsOf = (client: GivenClient): ServerOptions =>
  isNodeRedisClient(client) ? nodeRedisOptions(client) : client.options;
