import { isRedisClient } from './backend/redis/client.js';
import { type ConnectionInput, isClusterClient } from './backend/redis/connection-input.js';
import { optionsOfUrl } from './backend/redis/connection-url.js';
import { LockOptionsError } from './errors.js';
import { describe } from './input/describe.js';
import { readOptions } from './input/read-options.js';

/** Never shows the value: it may carry a password. */
const refused = (why: string): LockOptionsError =>
  new LockOptionsError(`connection ${why}`, { details: { option: 'connection' } });

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Options of other libraries: ioredis would ignore them, and connect to some default server. */
const FOREIGN_OPTIONS = ['url', 'uri', 'nodes'];

/**
 * What a user gave as `connection`, as it is; only looked at.
 * @throws LockOptionsError that never shows the value.
 */
export const parseConnection = (connection: unknown): ConnectionInput => {
  if (typeof connection === 'string') {
    optionsOfUrl(connection);
    return connection;
  }
  if (isClusterClient(connection)) {
    if (!connection.options.useSRVRecords) return connection;
    throw refused('is a Cluster client that uses SRV records, which are not looked up here; give { cluster: [nodes] }');
  }
  if (isRedisClient(connection)) {
    checkSentinels(connection.options);
    return connection;
  }
  if (!isPlainObject(connection)) {
    const found = Array.isArray(connection) ? 'a list' : describe(connection);
    throw refused(`must be a redis:// or rediss:// URL, ioredis options or an ioredis client, not ${found}`);
  }
  const foreign = FOREIGN_OPTIONS.find((option) => option in connection);
  if (foreign !== undefined) {
    throw refused(`has "${foreign}"; give a URL as text, { host, port }, { sentinels, name } or { cluster: [nodes] }`);
  }
  if ('cluster' in connection) checkCluster(connection);
  else checkSentinels(connection);
  return connection;
};

const checkSentinels = (options: object): void => {
  const { sentinels, name, role } = options as Readonly<Record<string, unknown>>;
  if (sentinels === undefined || sentinels === null) return;
  if (!Array.isArray(sentinels) || sentinels.length === 0) throw refused('has "sentinels" that are no list of servers');
  if (typeof name !== 'string' || name === '') throw refused('has "sentinels" but no "name" of the master they watch');
  if (role === 'slave') throw refused('asks for role "slave"; locks live on the master');
};

const checkCluster = (connection: object): void => {
  const { cluster } = readOptions(connection, ['cluster', 'redisOptions', 'natMap', 'keyPrefix']);
  if (!Array.isArray(cluster) || cluster.length === 0) {
    throw refused('has a "cluster" that is no list of servers such as [{ host, port }]');
  }
  cluster.forEach((seed: unknown, index) => checkSeed(seed, index));
};

const checkSeed = (seed: unknown, index: number): void => {
  if (typeof seed === 'string') {
    optionsOfUrl(seed);
    return;
  }
  const { host, port } = isPlainObject(seed) ? (seed as Readonly<Record<string, unknown>>) : {};
  const isPort =
    port === undefined || (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536);
  if (typeof host !== 'string' || host === '' || !isPort) {
    throw refused(`has a cluster[${index}] that is neither a redis:// URL nor { host, port }`);
  }
};
