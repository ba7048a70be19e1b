import type { MonotonicScheduler } from '../time/scheduler.js';
import type { PubSub } from './pubsub.js';
import type { ServerHealth } from './backend-listener.js';
import { checkCluster, checkServer } from './check-servers.js';
import { ClusterExecutor } from './cluster/cluster-executor.js';
import { ClusterSubscriber } from './cluster/cluster-subscriber.js';
import { ClusterTopology } from './cluster/cluster-topology.js';
import type { ScriptExecutor } from './commands/script-executor.js';
import type { TransportSettings } from './connection/target.js';
import { isCluster, type RedisTarget } from './redis-target.js';
import { NodeExecutor } from './commands/node-executor.js';
import { RedisSubscriber } from './connection/redis-subscriber.js';

/** Connection of a backend to Redis: own connections for commands and for pub/sub. */
export interface Transport {
  readonly commands: ScriptExecutor;
  readonly pubSub: PubSub;
  /** Asks every server whether it answers within `ms`. Never rejects. */
  check(ms: number): Promise<readonly ServerHealth[]>;
  /** @param ms The longest that this may take. Default: half a second. */
  close(ms?: number): Promise<void>;
}

export const openTransport = (
  target: RedisTarget,
  settings: TransportSettings,
  scheduler: MonotonicScheduler,
): Transport => {
  if (isCluster(target)) {
    const topology = new ClusterTopology(target, settings, scheduler);
    const commands = new ClusterExecutor(topology, settings.commandTimeout, scheduler);
    const pubSub = new ClusterSubscriber(topology, settings.commandTimeout, scheduler);
    return {
      commands,
      pubSub,
      check: (ms) => checkCluster({ topology, commands, pubSub }, scheduler.now() + ms),
      close: async (ms) => {
        await Promise.all([commands.close(ms), pubSub.close(ms)]);
      },
    };
  }
  const commands = new NodeExecutor(target, settings, scheduler);
  const pubSub = new RedisSubscriber(target, settings.commandTimeout, scheduler);
  return {
    commands,
    pubSub,
    check: async (ms) => [await checkServer({ commands, subscriber: pubSub }, 'all-locks', scheduler.now() + ms)],
    close: async (ms) => {
      await Promise.all([commands.close(ms), pubSub.close(ms)]);
    },
  };
};
