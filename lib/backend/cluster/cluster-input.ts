import { invalidConnection } from '../connection/invalid-connection.js';
import { clusterOf, type GivenCluster } from '../driver/given-client.js';
import type { RedisDriver } from '../driver/redis-driver.js';
import type { ClusterAddresses, ClusterSeed } from '../driver/server-options.js';

/** A Redis Cluster. */
export interface ClusterInput extends ClusterAddresses {
  /** Some of its servers; the others are learned from them. */
  readonly cluster: readonly ClusterSeed[];
}

/** The cluster of a client that a user gives. */
interface OfGivenCluster {
  readonly input: ClusterInput;
  /** Default: that of the installed library. */
  readonly driver: RedisDriver | undefined;
}

/** @throws LockOptionsError if the client does not tell where the cluster is. */
export const ofGivenCluster = (client: GivenCluster): OfGivenCluster => {
  const { input, driver } = clusterOf(client);
  if (!input) {
    throw invalidConnection(
      'is a Cluster client that uses SRV records, which are not supported here; give { cluster: [nodes] }',
    );
  }
  if (input.cluster.length > 0) return { input, driver };
  throw invalidConnection(
    'is a client of a cluster that knows no nodes; connect it first, or give { cluster: [nodes] }',
  );
};
