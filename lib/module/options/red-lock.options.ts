import { majorityOf } from '../../backend/quorum/majority.js';
import { addressOf, hasSentinels, type ServerTarget } from '../../backend/connection/target.js';
import { type ConnectionInput, isCluster } from '../../backend/redis-target.js';
import type { ConnectionParser } from './connection.options.js';
import { LockOptionsError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import { namesOf, parseOptions } from '../../validation/options.js';
import { type Duration, parseDuration } from '../../time/duration.js';

/** Independent masters for `LockService.getRedLock(name)`, and their voting rules. */
export interface RedLockOptions {
  /**
   * At least three servers that share nothing: no replicas of each other, no two databases of one server. Each is a
   * URL, options or a client, as for `connection`.
   */
  readonly nodes: readonly ConnectionInput[];
  /**
   * Longest time for one node to reply before it counts as failed. Should be small compared with the leases, because a
   * round may last that long. Default: 200 ms; 50 ms … 2 s.
   */
  readonly nodeTimeout?: Duration | undefined;
  /** Number of nodes that must agree. Default and minimum: a majority of them. */
  readonly quorum?: number | undefined;
}

/** The same options, validated and complete. */
export interface RedLockSettings {
  /** By address, without passwords. */
  readonly nodes: ReadonlyMap<string, ServerTarget>;
  /** Milliseconds. */
  readonly nodeTimeout: number;
  readonly quorum: number;
}

const OPTIONS = namesOf<RedLockOptions>()('nodes', 'nodeTimeout', 'quorum');

const FEWEST_NODES = 3;

const refused = (option: string, why: string, value?: unknown): LockOptionsError =>
  new LockOptionsError(`${option} ${why}`, { details: value === undefined ? { option } : { option, value } });

/**
 * @param parseConnection Parses a connection, without ever showing it.
 * @param keyPrefix Prefix of every name.
 * @throws LockOptionsError that names option and value, never a password.
 */
const parseRedLockOptions = (
  options: unknown,
  parseConnection: ConnectionParser,
  keyPrefix: string,
): RedLockSettings => {
  // Not shown, whatever it is: it may be a list of connections with passwords.
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refused('redLock', 'must be an object such as { nodes: [connection, connection, connection] }');
  }
  const { nodes, nodeTimeout, quorum } = parseOptions(options, OPTIONS, { of: 'redLock' });
  const parsed = parseNodes(nodes, parseConnection, keyPrefix);
  return {
    nodes: parsed,
    nodeTimeout:
      nodeTimeout === undefined ? 200 : parseDuration(nodeTimeout, 'redLock.nodeTimeout', { min: 50, max: 2000 }),
    quorum: parseQuorum(quorum, parsed.size),
  };
};

const parseNodes = (
  nodes: unknown,
  parseConnection: ConnectionParser,
  keyPrefix: string,
): ReadonlyMap<string, ServerTarget> => {
  if (!Array.isArray(nodes)) throw refused('redLock.nodes', 'must be a list of connections');
  if (nodes.length < FEWEST_NODES) {
    const why = `must be at least ${FEWEST_NODES} independent servers, not ${nodes.length}: fewer tolerate no failure`;
    throw refused('redLock.nodes', why);
  }
  const byAddress = new Map<string, ServerTarget>();
  nodes.forEach((node: unknown, index) => {
    const option = `redLock.nodes[${index}]`;
    const server = parseNode(option, node, parseConnection);
    const address = addressOf(server.options);
    if (byAddress.has(address)) {
      throw refused(option, `leads to ${address}, which is already in the list; each node must be a server of its own`);
    }
    const ownPrefix = server.options.keyPrefix ?? '';
    if (ownPrefix !== '' && ownPrefix !== keyPrefix) {
      throw refused(option, `has a keyPrefix of its own; give keyPrefix to the module, so that all nodes use the same`);
    }
    byAddress.set(address, server);
  });
  return byAddress;
};

const parseNode = (option: string, node: unknown, parseConnection: ConnectionParser): ServerTarget => {
  try {
    const target = parseConnection(node);
    if (!isCluster(target) && !hasSentinels(target.options)) return target;
    throw refused(option, 'must be one server, not a cluster or a master behind Sentinels');
  } catch (error) {
    if (error instanceof LockOptionsError) throw refused(option, `is refused: ${error.message}`);
    throw error;
  }
};

const parseQuorum = (quorum: unknown, size: number): number => {
  const majority = majorityOf(size);
  if (quorum === undefined) return majority;
  if (typeof quorum === 'number' && Number.isInteger(quorum) && quorum >= majority && quorum <= size) return quorum;
  const why = `must be a whole number from ${majority} to ${size}, the number of nodes, not ${formatValue(quorum)}`;
  throw refused('redLock.quorum', why, quorum);
};

/**
 * The servers for RedLocks beside the connection that serves all other locks.
 * @throws LockOptionsError that names option and value, never a password.
 */
export const parseRedLockBeside = (
  { target, keyPrefix }: { readonly target: { readonly kind: string }; readonly keyPrefix: string },
  redLock: unknown,
  parseConnection: ConnectionParser,
): RedLockSettings | undefined => {
  if (redLock === undefined) return undefined;
  if (target.kind !== 'memory') return parseRedLockOptions(redLock, parseConnection, keyPrefix);
  throw new LockOptionsError(
    'redLock cannot be combined with connection "memory", which is one process; in tests use getLock(), or real servers',
    { details: { option: 'redLock' } },
  );
};
