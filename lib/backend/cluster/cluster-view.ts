import { isPassing, LockUnavailableError } from '../../errors.js';
import type { NodeExecutor } from '../commands/node-executor.js';
import type { Address, ClusterServers } from './cluster-servers.js';
import { SlotMap } from './slot-map.js';

/** The cluster as reported by one of its servers. */
export interface ClusterView {
  readonly map: SlotMap;
  readonly node: NodeExecutor;
  /** Whether that server sees enough of the others for its report to count. */
  readonly isHealthy: boolean;
}

/**
 * Asks a server for its view of the cluster.
 * @throws LockUnavailableError if there is no answer by `deadline`, or the server knows of no cluster.
 */
export const askClusterView = async (
  node: NodeExecutor,
  address: Address,
  servers: ClusterServers,
  deadline: number,
): Promise<ClusterView> => {
  await node.whenConnected(deadline);
  const [reply, isHealthy] = await Promise.all([
    node.ask((connection) => connection.send(['CLUSTER', 'SLOTS']), deadline),
    askHealth(node, deadline),
  ]);
  const map = SlotMap.parse(reply, address, (host, port) => servers.reachable(host, port));
  if (map) return { map, node, isHealthy };
  throw new LockUnavailableError(`${address} returned no slot map`, 'refused', false);
};

/** Whether a server sees enough of the others. A server that denies this user the question counts as healthy. */
const askHealth = async (node: NodeExecutor, deadline: number): Promise<boolean> => {
  try {
    const info = await node.ask((connection) => connection.send(['CLUSTER', 'INFO']), deadline);
    return !String(info).includes('cluster_state:fail');
  } catch (error) {
    if (isPassing(error)) throw error;
    return true;
  }
};

/**
 * Redisson's rule: messages stay with the shard of their lock if the servers support that (Redis 7). A server that
 * denies permission for the subcommand by its name supports it as well.
 */
export const askWhetherSharded = async (node: Pick<NodeExecutor, 'ask' | 'deadline'>): Promise<boolean> => {
  const deadline = node.deadline();
  try {
    await node.ask((connection) => connection.send(['PUBSUB', 'SHARDNUMSUB']), deadline);
    return true;
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    const text = cause instanceof Error ? cause.message : '';
    if (/NOPERM.*shardnumsub/i.test(text)) return true;
    // Only an error reply of the server is an answer.
    if (/^(ERR|NOPERM)\b/.test(text)) return false;
    throw error;
  }
};
