import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { BackendListener } from '../../../lib/backend/lock-backend.js';
import type { ClusterExecutor } from '../../../lib/backend/redis/cluster/cluster-executor.js';
import type { SimulatedCluster } from '../server/simulated-cluster.js';
import type { SimulatedCommands } from './simulated-commands.js';

type Topology = ConstructorParameters<typeof ClusterExecutor>[0];

/** The part of a topology that commands use. Addresses are names of servers. */
class SimulatedTopology {
  readonly isSharded = false;
  /** Slots that are known to be elsewhere than they were at first. */
  private readonly places = new Map<number, string>();

  constructor(
    private readonly cluster: SimulatedCluster,
    private readonly nodes: ReadonlyMap<string, SimulatedCommands>,
  ) {}

  async whenKnown(): Promise<void> {}

  nodeFor(key: string): SimulatedCommands | undefined {
    const slot = hashSlot(key);
    const [first] = this.cluster.servers;
    return this.nodes.get(this.places.get(slot) ?? first?.name ?? '');
  }

  nodeAt(address: string): SimulatedCommands | undefined {
    return this.nodes.get(address);
  }

  resolveAddress(_node: unknown, host: string): string {
    return host;
  }

  moved(slot: number, address: string): void {
    this.places.set(slot, address);
  }

  /** Redirections tell all that there is to know. */
  refreshSoon(): void {}

  get connected(): readonly SimulatedCommands[] {
    return [...this.nodes.values()].filter((node) => node.isConnected());
  }

  watch(watcher: BackendListener): void {
    for (const node of this.nodes.values()) node.watch(watcher);
  }

  async close(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.close()));
  }
}

/** A topology for the library's commands of a cluster, which are as they are. */
export const simulatedTopology = (cluster: SimulatedCluster, nodes: ReadonlyMap<string, SimulatedCommands>): Topology =>
  new SimulatedTopology(cluster, nodes) as unknown as Topology;
