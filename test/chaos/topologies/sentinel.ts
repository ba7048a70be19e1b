import { RedisSentinels } from '../../servers/sentinel/redis-sentinels.js';
import type { Topology } from './topology.js';

/** A topology with its Sentinels, for cases that only they can run. */
export interface SentinelsOf extends Topology {
  readonly sentinels: RedisSentinels;
}

/** A master with two replicas. After a second three Sentinels put a replica in its place. */
export const startSentinel = async (): Promise<SentinelsOf> => {
  const sentinels = await RedisSentinels.start({ replicas: 2 });
  return {
    name: 'sentinel',
    sentinels,
    options: { connection: { sentinels: [...sentinels.sentinels], name: sentinels.name } },
    get servers() {
      return sentinels.servers;
    },
    proxies: [],
    admin: (server) => sentinels.admin(server),
    masters: async () => [await sentinels.master()],
    settled: async () => {
      for (const server of [...sentinels.servers, ...sentinels.sentinelServers]) {
        if (!server.isRunning) await server.restart();
        server.resume();
      }
      await sentinels.settled();
    },
    stop: () => sentinels.stop(),
  };
};

export const isSentinel = (topology: Topology): topology is SentinelsOf => topology.name === 'sentinel';
