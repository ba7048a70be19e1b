import { hashSlot } from '../../../lib/keys/hash-slot.js';
import type { BackendListener } from '../../../lib/backend/backend-listener.js';
import type { ClusterExecutor } from '../../../lib/backend/cluster/cluster-executor.js';
import type { SimulatedCluster } from '../server/simulated-cluster.js';
import type { SimulatedCommands } from './simulated-commands.js';

type Topology = ConstructorParameters<typeof ClusterExecutor>[0];

/** The part of a topology that commands use. Addresses are names of servers. */
class SimulatedTopology {
  readonly isSharded = false;
  /** Servers of slots that have moved, as far as the client knows. */
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

  /** Does nothing, because redirections are all that the client needs to know. */
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

/** Creates a topology for the library's own `ClusterExecutor`. */
export const simulatedTopology = (cluster: SimulatedCluster, nodes: ReadonlyMap<string, SimulatedCommands>): Topology =>
  new SimulatedTopology(cluster, nodes) as unknown as Topology;
