import { type ConnectionInput, keyPrefixOf } from '../../backend/redis/connection/connection-input.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { isPlainObject, parseConnection } from './connection.options.js';
import type { ConnectionTarget } from './settings.js';
import { DEFAULT_CONNECTION_NAME, isConnectionName } from '../../locks/lock.options.js';

const DEFAULT_CONNECTION = 'redis://127.0.0.1:6379';

const ONLY_MASTERS =
  'Only the masters of "redlock" were configured, which serve getRedLock(name); give "connection" as well for everything else';

const PLACES = ['connection', 'connections', 'redlock'] as const;

/** The default connection and the named ones. */
export interface ConnectionTargets {
  readonly place: ConnectionTarget;
  readonly others: ReadonlyMap<string, ConnectionTarget>;
}

/** The connection options of the module, unchecked. */
interface GivenConnections {
  readonly backend: 'redis' | 'memory';
  readonly connection?: unknown;
  readonly connections?: unknown;
  readonly redlock?: unknown;
  readonly keyPrefix: string | undefined;
}

/** Never shows the value: it may contain a password. */
const refused = (why: string, option = 'connections'): LockOptionsError =>
  new LockOptionsError(why, { details: { option } });

/** @throws LockOptionsError that never shows a connection. */
export const parsePlaces = (given: GivenConnections): ConnectionTargets => {
  const { connections, keyPrefix } = given;
  if (connections === undefined) return { place: soleConnection(given), others: new Map() };
  if (given.connection !== undefined) {
    throw refused('connection cannot be combined with connections; list it there, under the name "default"');
  }
  if (given.backend === 'memory') {
    throw refused(
      'backend "memory" cannot be combined with connections; write "memory" there, in place of a connection',
    );
  }
  const others = new Map([...parseConnections(connections)].map(([name, input]) => [name, placeOf(input, keyPrefix)]));
  const place = others.get(DEFAULT_CONNECTION_NAME) ?? noPlace(noDefaultAmong([...others.keys()]), keyPrefix);
  others.delete(DEFAULT_CONNECTION_NAME);
  return { place, others };
};

/** @param input `undefined`: a separate in-process memory. */
const placeOf = (input: ConnectionInput | undefined, keyPrefix: string | undefined): ConnectionTarget => {
  const ownPrefix = input === undefined ? '' : keyPrefixOf(input);
  const isPrefixChosen = keyPrefix !== undefined || ownPrefix !== '';
  return { connection: input, absent: undefined, keyPrefix: keyPrefix ?? ownPrefix, isPrefixChosen };
};

const noPlace = (absent: string, keyPrefix: string | undefined): ConnectionTarget => ({
  connection: undefined,
  absent,
  keyPrefix: keyPrefix ?? '',
  isPrefixChosen: keyPrefix !== undefined,
});

const noDefaultAmong = (names: readonly string[]): string => {
  const known = names.map((name) => formatValue(name)).join(' or ');
  return `No connection "${DEFAULT_CONNECTION_NAME}" is listed in connections; name the one to lock on: ${known}`;
};

const soleConnection = (given: GivenConnections): ConnectionTarget => {
  const { backend, connection, redlock, keyPrefix } = given;
  if (backend === 'memory') {
    if (connection === undefined) return placeOf(undefined, keyPrefix);
    throw refused('connection cannot be combined with backend "memory"; set one of the two', 'connection');
  }
  if (connection !== undefined) return placeOf(parseConnection(connection), keyPrefix);
  refuseUndefined(given, redlock === undefined ? PLACES : ['connection']);
  if (redlock !== undefined) return noPlace(ONLY_MASTERS, keyPrefix);
  return placeOf(DEFAULT_CONNECTION, keyPrefix);
};

/** Only an absent key selects the default: an undefined value mostly comes from an unset environment variable. */
const refuseUndefined = (given: GivenConnections, places: readonly (keyof GivenConnections)[]): void => {
  const missing = places.find((place) => place in given);
  if (missing === undefined) return;
  const why = `${missing} is undefined, as if an environment variable were not set`;
  throw refused(`${why}; give it a value, or omit it to connect to ${DEFAULT_CONNECTION}`, missing);
};

const parseConnections = (connections: unknown): ReadonlyMap<string, ConnectionInput | undefined> => {
  // Not shown, whatever it is: it may be a connection with a password.
  if (!isPlainObject(connections)) {
    throw refused('connections must be an object such as { default: connection, billing: connection }');
  }
  const inputs: readonly [string, unknown][] = Object.entries(connections);
  if (inputs.length === 0) throw refused('connections must name at least one connection');
  return new Map(inputs.map(([name, input]) => [name, parseNamed(name, input)]));
};

const parseNamed = (name: string, input: unknown): ConnectionInput | undefined => {
  if (!isConnectionName(name)) throw refused('connections must have names that are neither empty nor URLs');
  if (input === 'memory') return undefined;
  try {
    return parseConnection(input);
  } catch (error) {
    if (!(error instanceof LockOptionsError)) throw error;
    const option = `connections[${formatValue(name)}]`;
    throw refused(`${option} is refused: ${error.message}`, option);
  }
};
