import { isRedisClient } from '../../backend/connection/redis-client.js';
import {
  type ClusterClient,
  type ClusterInput,
  type ConnectionInput,
  isClusterClient,
} from '../../backend/connection/connection-input.js';
import { parseConnectionUrl } from '../../backend/connection/connection-url.js';
import { invalidConnection } from '../../backend/connection/invalid-connection.js';
import { IOREDIS_OPTIONS } from '../../backend/connection/ioredis-options.js';
import { formatValue } from '../../validation/format-value.js';
import { nearestName } from '../../validation/nearest.js';
import { namesOf, parseOptions } from '../../validation/options.js';
import { seedsOf } from '../../backend/cluster/cluster-servers.js';
import {
  checkClusterOptions,
  checkHost,
  checkKeyPrefix,
  checkNatMap,
  checkPort,
  checkServerOptions,
  type RawOptions,
} from './server.options.js';

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Options of other libraries, such as `socket` of node-redis. */
const FOREIGN_OPTIONS = ['url', 'uri', 'nodes', 'socket', 'servers', 'rootNodes'];

const ADDRESSES = 'a URL as text, { host, port }, { sentinels, name } or { cluster: [nodes] }';

const IMITATION =
  'is a client that imitates ioredis, such as ioredis-mock, and has no connection to Redis; ' +
  'for tests give connection: "memory", or a real server';

/**
 * Checks the `connection` option and returns it unchanged.
 * @throws LockOptionsError that never shows the value.
 */
export const parseConnection = (connection: unknown): ConnectionInput => {
  if (typeof connection === 'string') {
    checkServerOptions(parseConnectionUrl(connection));
    return connection;
  }
  if (isClusterClient(connection)) {
    checkClusterClient(connection);
    return connection;
  }
  if (isRedisClient(connection)) {
    if (typeof connection.isCluster !== 'boolean') throw invalidConnection(IMITATION);
    checkServerOptions(connection.options);
    return connection;
  }
  if (typeof connection === 'object' && connection !== null && 'isOpen' in connection)
    throw invalidConnection(
      `is a client of node-redis, which cannot be used here; give an ioredis client, or ${ADDRESSES}`,
    );
  if (!isPlainObject(connection)) {
    const found = Array.isArray(connection) ? 'a list' : formatValue(connection);
    throw invalidConnection(`must be a redis:// or rediss:// URL, ioredis options or an ioredis client, not ${found}`);
  }
  if ('cluster' in connection) checkCluster(connection);
  else checkServer(connection);
  return connection;
};

const checkServer = (options: object): void => {
  checkNames(options);
  checkServerOptions(options);
};

/** ioredis ignores unknown options, and then connects to the default server in place of the intended one. */
const checkNames = (options: object, place = ''): void => {
  const unknown = Object.keys(options).find((option) => !IOREDIS_OPTIONS.some((known) => known === option));
  if (unknown === undefined) return;
  const has = `has ${place}${formatValue(unknown)}`;
  if (FOREIGN_OPTIONS.includes(unknown))
    throw invalidConnection(`${has}, which ioredis does not know; give ${ADDRESSES}`);
  const nearest = nearestName(unknown, IOREDIS_OPTIONS);
  const remedy =
    nearest === undefined
      ? 'leave it out, or give an ioredis client if your version of ioredis knows it'
      : `did you mean "${nearest}"?`;
  throw invalidConnection(`${has}, which ioredis does not know; ${remedy}`);
};

const CLUSTER_OPTIONS = namesOf<ClusterInput>()('cluster', 'redisOptions', 'natMap', 'keyPrefix');

const checkCluster = (connection: object): void => {
  const given = parseOptions(connection, CLUSTER_OPTIONS, { of: 'connection { cluster }' });
  const { cluster, redisOptions, natMap, keyPrefix } = given;
  if (isPlainObject(redisOptions)) checkNames(redisOptions, 'redisOptions with ');
  checkClusterOptions(redisOptions);
  checkNatMap(natMap);
  checkKeyPrefix(keyPrefix);
  if (!Array.isArray(cluster) || cluster.length === 0) {
    throw invalidConnection('has a "cluster" that is not a list of servers such as [{ host, port }]');
  }
  cluster.forEach((seed: unknown, index) => checkSeed(seed, `cluster[${index}]`));
};

const checkClusterClient = (client: ClusterClient): void => {
  const { keyPrefix, redisOptions, natMap, useSRVRecords } = client.options;
  if (useSRVRecords) {
    throw invalidConnection(
      'is a Cluster client that uses SRV records, which are not supported here; give { cluster: [nodes] }',
    );
  }
  checkClusterOptions(redisOptions);
  checkNatMap(natMap);
  checkKeyPrefix(keyPrefix);
  seedsOf(client).forEach((seed, index) => checkSeed(seed, `nodes[${index}]`));
};

const checkSeed = (seed: unknown, place: string): void => {
  const given: unknown = typeof seed === 'string' ? parseConnectionUrl(seed) : seed;
  const { host, port, db }: RawOptions = isPlainObject(given) ? { ...given } : {};
  if (typeof host !== 'string' || host === '')
    throw invalidConnection(`has a ${place} that is neither a redis:// URL nor { host, port }`);
  checkHost(`${place}.host`, host);
  checkPort(`${place}.port`, port);
  if (db) throw invalidConnection(`has a ${place} with a database; a cluster has only database 0`);
};
