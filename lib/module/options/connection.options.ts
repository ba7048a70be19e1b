import { type ClusterInput, ofGivenCluster } from '../../backend/cluster/cluster-input.js';
import { parseConnectionUrl } from '../../backend/connection/connection-url.js';
import { invalidConnection } from '../../backend/connection/invalid-connection.js';
import type { RedisDriver } from '../../backend/driver/redis-driver.js';
import { DRIVER_NAMES, driverNamed, installedDriver } from '../../backend/driver/drivers.js';
import {
  IMITATION,
  type GivenCluster,
  isClosed,
  isGivenClient,
  isGivenCluster,
  isImitation,
  optionsOf,
} from '../../backend/driver/given-client.js';
import { KNOWN_OPTIONS } from '../../backend/driver/server-options.js';
import { type ConnectionInput, type RedisTarget, redisTarget } from '../../backend/redis-target.js';
import { formatValue } from '../../validation/format-value.js';
import { nearestName } from '../../validation/nearest.js';
import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
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

const CLOSED = `is a client that was closed; give one that is open or connects later, or ${ADDRESSES}`;

/** Clients from which no connection of our own can be made, by a member that tells them. */
const OTHER_CLIENTS = [
  { member: 'totalClients', what: 'a pool of clients', instead: 'the client that it was made of' },
  { member: 'getSentinelNode', what: 'a client of Sentinels', instead: '{ sentinels, name }' },
  { member: 'sendCommand', what: 'a client that cannot be duplicated', instead: 'the client that it was made of' },
] as const;

/** @throws LockOptionsError that never shows the value. */
export type ConnectionParser = (connection: unknown) => RedisTarget;

/** @param driver The driver for connections other than clients. */
export const connectionParser =
  (driver: RedisDriver): ConnectionParser =>
  (connection) =>
    redisTarget(checked(connection), driver);

/** @throws LockOptionsError */
export const parseDriver = (driver: unknown): RedisDriver => {
  if (driver === undefined) return installedDriver;
  const name = DRIVER_NAMES.find((known) => known === driver);
  if (name !== undefined) return driverNamed(name);
  if (isDriver(driver)) return driver;
  throw invalidOption(
    'driver',
    driver,
    `${DRIVER_NAMES.map((known) => formatValue(known)).join(' or ')}, or a RedisDriver`,
  );
};

const isDriver = (driver: unknown): driver is RedisDriver =>
  typeof driver === 'object' &&
  driver !== null &&
  'name' in driver &&
  'connect' in driver &&
  typeof driver.connect === 'function';

const checked = (connection: unknown): ConnectionInput => {
  if (typeof connection === 'string') {
    checkServerOptions(parseConnectionUrl(connection));
    return connection;
  }
  if (isGivenCluster(connection)) {
    checkClusterClient(connection);
    return connection;
  }
  if (isGivenClient(connection)) {
    if (isImitation(connection)) throw invalidConnection(IMITATION);
    if (isClosed(connection)) throw invalidConnection(CLOSED);
    checkServerOptions(optionsOf(connection));
    return connection;
  }
  const other = OTHER_CLIENTS.find(
    ({ member }) => typeof connection === 'object' && connection !== null && member in connection,
  );
  if (other) throw invalidConnection(`is ${other.what}; give ${other.instead}, or ${ADDRESSES}`);
  if (!isPlainObject(connection)) {
    const found = Array.isArray(connection) ? 'a list' : formatValue(connection);
    throw invalidConnection(`must be a redis:// or rediss:// URL, options or a client, not ${found}`);
  }
  if ('cluster' in connection) checkCluster(connection);
  else checkServer(connection);
  return connection;
};

const checkServer = (options: object): void => {
  checkNames(options);
  checkServerOptions(options);
};

/** A misspelt address would lead to the default server in place of the intended one. */
const checkNames = (options: object, place = ''): void => {
  const unknown = Object.keys(options).find((option) => !KNOWN_OPTIONS.some((known) => known === option));
  if (unknown === undefined) return;
  const has = `has ${place}${formatValue(unknown)}`;
  if (FOREIGN_OPTIONS.includes(unknown))
    throw invalidConnection(`${has}, which is no option of a connection; give ${ADDRESSES}`);
  const nearest = nearestName(unknown, KNOWN_OPTIONS);
  const remedy =
    nearest === undefined ? 'leave it out, or give a client whose library knows it' : `did you mean "${nearest}"?`;
  throw invalidConnection(`${has}, which is no option of a connection; ${remedy}`);
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

const checkClusterClient = (client: GivenCluster): void => {
  const { cluster, redisOptions, natMap, keyPrefix } = ofGivenCluster(client).input;
  checkClusterOptions(redisOptions);
  checkNatMap(natMap);
  checkKeyPrefix(keyPrefix);
  cluster.forEach((seed, index) => checkSeed(seed, `nodes[${index}]`));
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
