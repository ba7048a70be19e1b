import { isRedisClient } from '../../backend/redis/connection/redis-client.js';
import { type ConnectionInput, isClusterClient } from '../../backend/redis/connection/connection-input.js';
import { parseConnectionUrl } from '../../backend/redis/connection/connection-url.js';
import { invalidConnection } from '../../backend/redis/connection/invalid-connection.js';
import { IOREDIS_OPTIONS } from '../../backend/redis/connection/ioredis-options.js';
import { formatValue } from '../../validation/format-value.js';
import { nearestName } from '../../validation/nearest.js';
import { parseOptions } from '../../validation/options.js';

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Options of other libraries, such as `socket` of node-redis. */
const FOREIGN_OPTIONS = ['url', 'uri', 'nodes', 'socket', 'servers', 'rootNodes'];

const ADDRESSES = 'give a URL as text, { host, port }, { sentinels, name } or { cluster: [nodes] }';

/**
 * Checks the `connection` option and returns it unchanged.
 * @throws LockOptionsError that never shows the value.
 */
export const parseConnection = (connection: unknown): ConnectionInput => {
  if (typeof connection === 'string') {
    parseConnectionUrl(connection);
    return connection;
  }
  if (isClusterClient(connection)) {
    if (!connection.options.useSRVRecords) return connection;
    throw invalidConnection(
      'is a Cluster client that uses SRV records, which are not supported here; give { cluster: [nodes] }',
    );
  }
  if (isRedisClient(connection)) {
    checkSentinels(connection.options);
    return connection;
  }
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
  checkSentinels(options);
  checkAddress(options);
};

/** ioredis ignores unknown options, and then connects to the default server in place of the intended one. */
const checkNames = (options: object, place = ''): void => {
  const unknown = Object.keys(options).find((option) => !IOREDIS_OPTIONS.some((known) => known === option));
  if (unknown === undefined) return;
  const has = `has ${place}${formatValue(unknown)}`;
  if (FOREIGN_OPTIONS.includes(unknown)) throw invalidConnection(`${has}, which ioredis does not know; ${ADDRESSES}`);
  const nearest = nearestName(unknown, IOREDIS_OPTIONS);
  const remedy =
    nearest === undefined
      ? 'leave it out, or give an ioredis client if your version of ioredis knows it'
      : `did you mean "${nearest}"?`;
  throw invalidConnection(`${has}, which ioredis does not know; ${remedy}`);
};

/**
 * ioredis connects to localhost if the address is undefined or empty, for example from an unset environment variable.
 * An absent key selects the default on purpose.
 */
const checkAddress = (options: object): void => {
  const given = options as Readonly<Record<string, unknown>>;
  const keys = ['host', 'path', 'sentinels'] as const;
  if (keys.some((key) => given[key])) return;
  const missing = keys.find((key) => key in given && (key === 'host' || given[key] !== null));
  if (missing !== undefined) throw invalidConnection(missingAddress(missing, given[missing]));
};

const missingAddress = (key: string, value: unknown): string =>
  `has ${formatValue(key)}: ${formatValue(value)}, as if an environment variable were not set; ` +
  'give the address, or omit it to connect to 127.0.0.1';

const checkSentinels = (options: object): void => {
  const { sentinels, name, role } = options as Readonly<Record<string, unknown>>;
  if (sentinels === undefined || sentinels === null) return;
  if (!Array.isArray(sentinels) || sentinels.length === 0)
    throw invalidConnection('has "sentinels" that is not a list of servers');
  if (typeof name !== 'string' || name === '')
    throw invalidConnection('has "sentinels" but no "name" of the master they watch');
  if (role === 'slave') throw invalidConnection('has role "slave"; locks live on the master');
  sentinels.forEach((sentinel: unknown, index) => {
    if (!isPlainObject(sentinel) || !('host' in sentinel) || sentinel.host) return;
    throw invalidConnection(missingAddress(`sentinels[${index}].host`, sentinel.host));
  });
};

const checkCluster = (connection: object): void => {
  const { cluster, redisOptions } = parseOptions(connection, ['cluster', 'redisOptions', 'natMap', 'keyPrefix'], {
    of: 'connection { cluster }',
  });
  if (isPlainObject(redisOptions)) checkNames(redisOptions, 'redisOptions with ');
  if (!Array.isArray(cluster) || cluster.length === 0) {
    throw invalidConnection('has a "cluster" that is not a list of servers such as [{ host, port }]');
  }
  cluster.forEach((seed: unknown, index) => checkSeed(seed, index));
};

const checkSeed = (seed: unknown, index: number): void => {
  if (typeof seed === 'string') {
    parseConnectionUrl(seed);
    return;
  }
  const { host, port } = isPlainObject(seed) ? (seed as Readonly<Record<string, unknown>>) : {};
  const isPort =
    port === undefined || (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536);
  if (typeof host !== 'string' || host === '' || !isPort) {
    throw invalidConnection(`has a cluster[${index}] that is neither a redis:// URL nor { host, port }`);
  }
};
