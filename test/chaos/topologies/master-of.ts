import type { RedisServer } from '../../servers/redis/redis-server.js';
import { isCluster } from './cluster.js';
import type { Topology } from './topology.js';

/** The server that serves a key now. */
export const masterOf = async (topology: Topology, key: string): Promise<RedisServer> => {
  if (isCluster(topology)) return topology.cluster.ownerOf(key);
  const [master] = await topology.masters();
  if (!master) throw new Error('There is no master');
  return master;
};
