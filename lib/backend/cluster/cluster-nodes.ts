import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import type { BackendListener } from '../backend-listener.js';
import { NodeExecutor } from '../commands/node-executor.js';
import type { TransportSettings } from '../connection/target.js';
import { type Address, type ClusterServers, hostOf } from './cluster-servers.js';

/** A node that serves nothing any more and is about to be closed. */
interface UnusedNode {
  readonly address: Address;
  readonly closing: ScheduledTask;
}

/** Listener for the connections to all servers of a cluster. */
interface ClusterNodesListener {
  /** The listener for one server. */
  forServer(address: Address): BackendListener;
  /** A connection was lost, to a server that is still of use. */
  onLost(): void;
}

/**
 * The connections to the servers of a cluster: one for each, made when it is first needed, and closed once its server
 * serves no slot.
 */
export class ClusterNodes {
  private readonly nodes = new Map<Address, NodeExecutor>();
  private readonly unused = new Map<NodeExecutor, UnusedNode>();
  private closed = false;

  constructor(
    private readonly servers: ClusterServers,
    private readonly settings: TransportSettings,
    private readonly scheduler: MonotonicScheduler,
    private readonly listener: ClusterNodesListener,
  ) {}

  at(address: Address): NodeExecutor {
    const known = this.nodes.get(address);
    if (known) return known;
    const node = new NodeExecutor(this.servers.connectionTo(address), this.settings, this.scheduler, () => {
      // Closing a server that serves nothing is no reason to ask it again.
      if (this.nodes.get(address) === node) this.listener.onLost();
    });
    node.watch(this.listener.forServer(address));
    this.nodes.set(address, node);
    // A wait for it fails at once, as for one that was connected before.
    if (this.closed) void node.close();
    return node;
  }

  /** Every server with a connection. */
  get all(): readonly NodeExecutor[] {
    return [...this.nodes.values()];
  }

  isReady(address: Address): boolean {
    return this.nodes.get(address)?.isReady ?? false;
  }

  /** Whether there is a connection that is lost, or that has not been established yet. */
  isLost(address: Address): boolean {
    return this.nodes.get(address)?.isLost ?? false;
  }

  /** Address of a server that this one refers to; without a host it is on the same host. */
  resolveAddress(node: NodeExecutor, host: string, port: number): Address {
    return this.servers.reachable(host === '' ? hostOf(this.addressOfNode(node)) : host, port);
  }

  /** Closes the connections to all servers but these. Commands in flight to the others may still be answered. */
  keepOnly(addresses: ReadonlySet<Address>): void {
    for (const [address, node] of this.nodes) {
      if (addresses.has(address)) continue;
      this.nodes.delete(address);
      node.rejectWaiting();
      const closing = this.scheduler.schedule(this.settings.commandTimeout, () => {
        this.unused.delete(node);
        void node.close();
      });
      this.unused.set(node, { address, closing });
    }
  }

  /** @param ms The longest that this may take. */
  async close(ms?: number): Promise<void> {
    this.closed = true;
    for (const { closing } of this.unused.values()) closing.cancel();
    await Promise.all([...this.nodes.values(), ...this.unused.keys()].map((node) => node.close(ms)));
  }

  /** Address of a node, which may still answer commands although it serves nothing any more. */
  private addressOfNode(node: NodeExecutor): Address {
    const [address] = [...this.nodes].find(([, known]) => known === node) ?? [this.unused.get(node)?.address];
    return address ?? '';
  }
}
