import { startCluster } from './cluster.js';
import { startRedlock } from './redlock.js';
import { startSentinel } from './sentinel.js';
import { startStandalone } from './standalone.js';
import type { Topology, TopologyName } from './topology.js';

/** Starts the servers of a topology. */
export const start = async (name: TopologyName, args: readonly string[] = []): Promise<Topology> => {
  if (name === 'standalone') return startStandalone(args);
  if (name === 'redlock') return startRedlock();
  return name === 'sentinel' ? startSentinel() : startCluster();
};
