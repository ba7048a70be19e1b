import type { RedisTarget } from '../../backend/redis-target.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { type ConnectionParser, isPlainObject } from './connection.options.js';
import type { ConnectionTarget, PrefixedTarget } from './lock-settings.js';
import { DEFAULT_CONNECTION_NAME, isConnectionName } from '../../locks/options/connection-choice.js';

const DEFAULT_CONNECTION = 'redis://127.0.0.1:6379';

const ONLY_MASTERS =
  'Only the masters of "redLock" were configured, which serve getRedLock(name); give "connection" as well for everything else';

const TARGET_OPTIONS = ['connection', 'connections', 'redLock'] as const;

/** The default connection and the named ones. */
interface ConnectionTargets {
  readonly main: PrefixedTarget;
  readonly others: ReadonlyMap<string, PrefixedTarget>;
}

/** The connection options of the module, unchecked. */
interface GivenConnections {
  readonly connection?: unknown;
  readonly connections?: unknown;
  readonly redLock?: unknown;
  readonly keyPrefix: string | undefined;
}

/** Never shows the value: it may contain a password. */
const refused = (why: string, option = 'connections'): LockOptionsError =>
  new LockOptionsError(why, { details: { option } });

/** @throws LockOptionsError that never shows a connection. */
export const parseConnectionTargets = (given: GivenConnections, parse: ConnectionParser): ConnectionTargets => {
  const { connections, keyPrefix } = given;
  if (connections === undefined) return { main: soleTarget(given, parse), others: new Map() };
  if (given.connection !== undefined) {
    throw refused('connection cannot be combined with connections; list it there, under the name "default"');
  }
  const parsed = [...parseConnections(connections, parse)];
  const others = new Map(parsed.map(([name, target]) => [name, withPrefix(target, keyPrefix)]));
  const main = others.get(DEFAULT_CONNECTION_NAME) ?? withPrefix(noDefaultAmong([...others.keys()]), keyPrefix);
  others.delete(DEFAULT_CONNECTION_NAME);
  return { main, others };
};

const MEMORY: ConnectionTarget = { kind: 'memory' };

const redisAt = (servers: RedisTarget): ConnectionTarget => ({ kind: 'redis', servers });

/** @param keyPrefix The prefix for all connections, if one was given; otherwise the target has its own. */
const withPrefix = (target: ConnectionTarget, keyPrefix: string | undefined): PrefixedTarget => {
  const ownPrefix = target.kind === 'redis' ? (target.servers.options.keyPrefix ?? '') : '';
  const isPrefixChosen = keyPrefix !== undefined || ownPrefix !== '';
  return { target, keyPrefix: keyPrefix ?? ownPrefix, isPrefixChosen };
};

const noDefaultAmong = (names: readonly string[]): ConnectionTarget => {
  const known = names.map((name) => formatValue(name)).join(' or ');
  const reason = `No connection "${DEFAULT_CONNECTION_NAME}" is listed in connections; name the one to lock on: ${known}`;
  return { kind: 'none', reason };
};

const soleTarget = (given: GivenConnections, parse: ConnectionParser): PrefixedTarget => {
  const { connection, redLock, keyPrefix } = given;
  if (connection === 'memory') return withPrefix(MEMORY, keyPrefix);
  if (connection !== undefined) return withPrefix(redisAt(parse(connection)), keyPrefix);
  refuseUndefined(given, redLock === undefined ? TARGET_OPTIONS : ['connection']);
  if (redLock !== undefined) return withPrefix({ kind: 'none', reason: ONLY_MASTERS }, keyPrefix);
  return withPrefix(redisAt(parse(DEFAULT_CONNECTION)), keyPrefix);
};

/** Only an absent key selects the default: an undefined value mostly comes from an unset environment variable. */
const refuseUndefined = (given: GivenConnections, options: readonly (keyof GivenConnections)[]): void => {
  const missing = options.find((option) => option in given);
  if (missing === undefined) return;
  const why = `${missing} is undefined, as if an environment variable were not set`;
  throw refused(`${why}; give it a value, or omit it to connect to ${DEFAULT_CONNECTION}`, missing);
};

const parseConnections = (connections: unknown, parse: ConnectionParser): ReadonlyMap<string, ConnectionTarget> => {
  // Not shown, whatever it is: it may be a connection with a password.
  if (!isPlainObject(connections)) {
    throw refused('connections must be an object such as { default: connection, billing: connection }');
  }
  const inputs: readonly [string, unknown][] = Object.entries(connections);
  if (inputs.length === 0) throw refused('connections must name at least one connection');
  return new Map(inputs.map(([name, input]) => [name, parseNamed(name, input, parse)]));
};

const parseNamed = (name: string, input: unknown, parse: ConnectionParser): ConnectionTarget => {
  if (!isConnectionName(name)) throw refused('connections must have names that are neither empty nor URLs');
  if (input === 'memory') return MEMORY;
  try {
    return redisAt(parse(input));
  } catch (error) {
    if (!(error instanceof LockOptionsError)) throw error;
    const option = `connections[${formatValue(name)}]`;
    throw refused(`${option} is refused: ${error.message}`, option);
  }
};
