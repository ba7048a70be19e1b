import { invalidConnection } from '../../backend/connection/invalid-connection.js';
import { formatValue } from '../../validation/format-value.js';
import { AS_IF_UNSET, missingValueIn } from '../../validation/missing-value.js';

export type RawOptions = Readonly<Record<string, unknown>>;

/** Result of `Number(process.env.REDIS_DB)` and the like if the variable is not set. */
const isUnset = (value: unknown): boolean =>
  value === undefined || value === '' || Number.isNaN(value) || (typeof value === 'string' && value === 'undefined');

/** Not shown if it may be a URL, which may have a password in it. */
const shown = (value: unknown): string =>
  typeof value === 'string' && /[/@]/.test(value) ? 'a URL or path' : formatValue(value);

const refused = (option: string, value: unknown, rule: string): Error =>
  invalidConnection(`has "${option}": ${shown(value)}${isUnset(value) ? AS_IF_UNSET : ''}; ${rule}`);

/** Accepts a whole number, also as text, as environment variables give it. An absent value selects the default. */
const checkNumber = (option: string, value: unknown, isIn: (number: number) => boolean, rule: string): void => {
  if (value === undefined || value === null) return;
  const number = typeof value === 'string' && /^(0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || !isIn(number)) throw refused(option, value, rule);
};

/** @throws LockOptionsError if the port is there and is none. */
export const checkPort = (option: string, port: unknown): void =>
  checkNumber(option, port, (number) => number > 0 && number < 65_536, 'give a port from 1 to 65535, or omit it');

const checkDatabase = (option: string, db: unknown): void =>
  checkNumber(option, db, (number) => number >= 0, 'give the number of a database from 0, or omit it for database 0');

/** @throws LockOptionsError if the text is there and names nothing. */
const checkText = (option: string, value: unknown, rule: string): void => {
  if (value === undefined || value === null || value === '') return;
  if (typeof value !== 'string') throw refused(option, value, rule);
  const missing = missingValueIn(value) ?? (value === 'null' ? value : undefined);
  if (missing === undefined) return;
  throw invalidConnection(`has "${option}" with ${formatValue(missing)} in it${AS_IF_UNSET}; ${rule}`);
};

/** @throws LockOptionsError if the name or address is there and is none. */
export const checkHost = (option: string, host: unknown): void => {
  checkText(option, host, 'give a host name or an IP address');
  if (typeof host !== 'string' || !/[\s/@]/.test(host)) return;
  throw invalidConnection(
    `has "${option}" that is no host name; give the name only, or the whole URL as connection: redis://host:6379`,
  );
};

/** @throws LockOptionsError that never shows the prefix, unless it was made of a missing value. */
export const checkKeyPrefix = (keyPrefix: unknown): void =>
  checkText('keyPrefix', keyPrefix, "give a prefix such as 'lock:'");

const ADDRESS_KEYS = ['host', 'path', 'sentinels'] as const;

/**
 * A client connects to localhost if the address is undefined or empty, for example from an unset environment variable.
 * An absent key selects the default on purpose.
 */
const checkAddress = (options: RawOptions): void => {
  if (ADDRESS_KEYS.some((key) => options[key])) return;
  const missing = ADDRESS_KEYS.find((key) => key in options && (key === 'host' || options[key] !== null));
  if (missing !== undefined) throw missingAddress(missing, options[missing]);
};

const missingAddress = (key: string, value: unknown): Error =>
  invalidConnection(
    `has ${formatValue(key)}: ${formatValue(value)}${AS_IF_UNSET}; give the address, or omit it to connect to 127.0.0.1`,
  );

const checkSentinels = ({ sentinels, name, role }: RawOptions): void => {
  if (sentinels === undefined || sentinels === null) return;
  if (!Array.isArray(sentinels) || sentinels.length === 0)
    throw invalidConnection('has "sentinels" that is not a list of servers');
  if (typeof name !== 'string' || name === '')
    throw invalidConnection('has "sentinels" but no "name" of the master they watch');
  checkText('name', name, 'give the name that the Sentinels have for the master');
  if (role === 'slave') throw invalidConnection('has role "slave"; locks live on the master');
  sentinels.forEach((sentinel: unknown, index) => checkSentinel(sentinel, `sentinels[${index}]`));
};

const checkSentinel = (sentinel: unknown, place: string): void => {
  if (typeof sentinel !== 'object' || sentinel === null)
    throw invalidConnection(`has "${place}" that is not { host, port }; give it so`);
  const { host, port }: RawOptions = { ...sentinel };
  if ('host' in sentinel && !sentinel.host) throw missingAddress(`${place}.host`, host);
  checkHost(`${place}.host`, host);
  checkPort(`${place}.port`, port);
};

/**
 * Checks what selects a server, a database or a name space in the options of a server, or of a client.
 * @throws LockOptionsError that names the option and never shows a secret.
 */
export const checkServerOptions = (given: object): void => {
  const options: RawOptions = { ...given };
  checkSentinels(options);
  checkAddress(options);
  checkHost('host', options['host']);
  checkText('path', options['path'], 'give the path of the socket');
  checkPort('port', options['port']);
  checkDatabase('db', options['db']);
  checkKeyPrefix(options['keyPrefix']);
};

/** The options for every server of a cluster. Its servers are found by host and port, and have one database. */
export const checkClusterOptions = (given: unknown): void => {
  if (typeof given !== 'object' || given === null) return;
  const { path, sentinels, db, keyPrefix }: RawOptions = { ...given };
  const place = (option: string): string => `redisOptions.${option}`;
  if (path) throw invalidConnection(`has "${place('path')}"; a cluster is reached by hosts and ports`);
  if (sentinels) throw invalidConnection(`has "${place('sentinels')}"; a cluster is not watched by Sentinels`);
  checkNumber(place('db'), db, (number) => number === 0, 'a cluster has only database 0; omit it');
  checkKeyPrefix(keyPrefix);
};

/** @throws LockOptionsError if an address of `natMap` is none. A function is asked later. */
export const checkNatMap = (natMap: unknown): void => {
  if (typeof natMap !== 'object' || natMap === null) return;
  for (const [from, to] of Object.entries<unknown>({ ...natMap })) {
    const place = `natMap[${formatValue(from)}]`;
    const { host, port }: RawOptions = typeof to === 'object' && to !== null ? { ...to } : {};
    if (!host || port === undefined) throw invalidConnection(`has ${place} that is not { host, port }; give both`);
    checkHost(`${place}.host`, host);
    checkPort(`${place}.port`, port);
  }
};
