import type { RedisServer } from '../../servers/redis/redis-server.js';
import { untilAgreed } from '../../servers/replication/until-agreed.js';
import { isCluster } from './cluster.js';
import { isSentinel } from './sentinel.js';
import type { Topology } from './topology.js';

/** The server that serves a key now. */
export const masterOf = async (topology: Topology, key: string): Promise<RedisServer> => {
  if (isCluster(topology)) return topology.cluster.ownerOf(key);
  const [master] = await topology.masters();
  if (!master) throw new Error('There is no master');
  return master;
};

/**
 * Resolves when another server has taken the place of `master` for a key. Sentinels and masters vote on it, and vote
 * again if nobody wins, so it takes 2 s or 10; how soon clients follow can be judged only from here.
 */
export const untilReplaced = async (topology: Topology, key: string, master: RedisServer): Promise<void> => {
  if (isSentinel(topology)) {
    await topology.sentinels.waitForFailOver(master);
    return;
  }
  // Nobody serves the key while the vote is open.
  const owner = () => masterOf(topology, key).catch(() => master);
  await untilAgreed(async () => (await owner()) !== master, 'another server has taken the place of the master');
};
