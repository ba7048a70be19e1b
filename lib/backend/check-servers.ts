import { messageOf } from '../errors.js';
import { type Affected, titleOf } from '../events/outage.js';
import type { ServerHealth } from './backend-listener.js';
import type { ClusterExecutor } from './cluster/cluster-executor.js';
import type { ClusterSubscriber } from './cluster/cluster-subscriber.js';
import type { ClusterTopology } from './cluster/cluster-topology.js';
import type { NodeExecutor } from './commands/node-executor.js';
import type { RedisSubscriber } from './connection/redis-subscriber.js';

/** The two connections to one server. */
interface ServerConnections {
  readonly commands: Pick<NodeExecutor, 'server' | 'check'>;
  /** `undefined`: not needed so far. */
  readonly subscriber: Pick<RedisSubscriber, 'check'> | undefined;
}

/** Names the server in the text of an error that leaves it out. */
const about = (server: string, text: string): string => {
  if (text.includes(server)) return text;
  const title = titleOf(server);
  return text.startsWith('Redis ') ? text.replace('Redis', title) : `${title}: ${text}`;
};

/**
 * Asks one server whether it answers over both connections. Never rejects.
 * @param deadline Instant of the scheduler.
 */
export const checkServer = async (
  { commands, subscriber }: ServerConnections,
  affects: Affected,
  deadline: number,
): Promise<ServerHealth> => {
  const { server } = commands;
  const listening: Promise<ServerHealth['messages']> = subscriber?.check(deadline) ?? Promise.resolve('unused');
  const [messages, failure] = await Promise.all([
    listening,
    commands.check(deadline).then(
      () => undefined,
      (error: unknown) => ({ error }),
    ),
  ]);
  if (!failure) return { server, affects, commands: 'up', messages };
  return { server, affects, commands: 'down', messages, problem: about(server, messageOf(failure.error)) };
};

const wholeCluster = (error: unknown): ServerHealth => ({
  server: 'cluster',
  affects: 'all-locks',
  commands: 'down',
  messages: 'unused',
  problem: messageOf(error),
});

/** The connections to a cluster. */
interface ClusterConnections {
  readonly topology: ClusterTopology;
  readonly commands: Pick<ClusterExecutor, 'refusal'>;
  readonly pubSub: Pick<ClusterSubscriber, 'at'>;
}

/** Asks every master of a cluster, as {@link checkServer} does. */
export const checkCluster = async (
  { topology, commands, pubSub }: ClusterConnections,
  deadline: number,
): Promise<readonly ServerHealth[]> => {
  if (commands.refusal) return [wholeCluster(commands.refusal)];
  try {
    await topology.whenKnown(deadline);
  } catch (error) {
    return [wholeCluster(error)];
  }
  const masters = [...topology.masters].map((address) => ({
    commands: topology.nodeAt(address),
    subscriber: pubSub.at(address),
  }));
  return Promise.all(masters.map((master) => checkServer(master, 'its-slots', deadline)));
};
