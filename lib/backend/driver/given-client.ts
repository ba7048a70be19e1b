import type { RedisDriver } from './redis-driver.js';
import {
  clusterOfIoredis,
  duplicatingIoredis,
  type IoredisClient,
  type IoredisCluster,
  isIoredisClient,
  isIoredisCluster,
} from './ioredis-driver.js';
import {
  clusterOfNodeRedis,
  duplicatingNodeRedis,
  isNodeRedisClient,
  isNodeRedisCluster,
  type NodeRedisClient,
  type NodeRedisCluster,
  nodeRedisOptions,
} from './node-redis-driver.js';
import type { ClusterAddresses, ServerOptions } from './server-options.js';

/** A client that a user gives. Connections of our own are made from it; it is never changed, never closed. */
export type GivenClient = IoredisClient | NodeRedisClient;

/** A client of a cluster that a user gives. */
export type GivenCluster = IoredisCluster | NodeRedisCluster;

export const isGivenClient = (given: unknown): given is GivenClient =>
  isIoredisClient(given) || isNodeRedisClient(given);

export const isGivenCluster = (given: unknown): given is GivenCluster =>
  isIoredisCluster(given) || isNodeRedisCluster(given);

/** The rule that an imitation breaks. */
export const IMITATION =
  'is a client that imitates another, such as ioredis-mock, and has no connection to Redis; ' +
  'for tests give connection: "memory", or a real server';

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

/** Where a client of a cluster leads, and the driver of its library; `undefined` if it does not tell where. */
export const clusterOf = (
  client: GivenCluster,
): { readonly input: ClusterAddresses | undefined; readonly driver?: RedisDriver } =>
  isNodeRedisCluster(client) ? clusterOfNodeRedis(client) : { input: clusterOfIoredis(client) };
