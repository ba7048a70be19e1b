import { RedisCluster } from '../../servers/cluster/redis-cluster.js';
import type { Topology } from './topology.js';

/** A topology with its cluster, for cases that only a cluster can run. */
export interface ClusterOf extends Topology {
  readonly cluster: RedisCluster;
}

/** Three masters with a replica each. A replica replaces its master after 1.5 s. */
export const startCluster = async (): Promise<ClusterOf> => {
  const cluster = await RedisCluster.start({ masters: 3, replicasPerMaster: 1, nodeTimeout: 1500 });
  const masters = async () => {
    const running = cluster.servers.filter((server) => server.isRunning);
    const roles = await Promise.all(running.map((server) => cluster.admin(server).role()));
    return running.filter((_, index) => roles[index]?.[0] === 'master');
  };
  return {
    name: 'cluster',
    cluster,
    options: { connection: { cluster: cluster.servers.map(({ url }) => url) } },
    servers: cluster.servers,
    proxies: [],
    admin: (server) => cluster.admin(server),
    masters,
    settled: async () => {
      for (const server of cluster.servers) {
        if (!server.isRunning) await server.restart();
        server.resume();
      }
      await cluster.settled();
    },
    stop: () => cluster.stop(),
  };
};

export const isCluster = (topology: Topology): topology is ClusterOf => topology.name === 'cluster';
