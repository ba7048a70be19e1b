import { LockUnavailableError } from '../../errors.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import { type BackendListener, noListener } from '../backend-listener.js';
import type { ServerTarget, TransportSettings } from '../connection/target.js';
import type { NodeExecutor } from '../commands/node-executor.js';
import { clusterUnknown } from '../connection/reply-errors.js';
import { ClusterOutages } from './cluster-outages.js';
import { ClusterNodes } from './cluster-nodes.js';
import type { Address, ClusterServers } from './cluster-servers.js';
import { askClusterView, askWhetherSharded, type ClusterView } from './cluster-view.js';
import type { SlotMap } from './slot-map.js';

/** Shortest pause between two refreshes, ms; and the pause before the next one if the cluster has a problem. */
const LEAST_PAUSE_MS = 100;
const TROUBLED_PAUSE_MS = 500;
/** Number of servers asked at once: the first answer counts. */
const ASKED_AT_ONCE = 3;

/**
 * The slot map of a cluster, and the connections to its servers. Learned from any server that answers, and learned
 * again whenever there is a sign of change: a redirection, a lost connection, a command without answer.
 */
export class ClusterTopology {
  /** Whether messages stay with the shard of their lock. */
  isSharded = false;
  private readonly outages: ClusterOutages;
  private readonly nodes: ClusterNodes;
  private readonly refreshListeners: (() => void)[] = [];
  watcher = noListener;
  private readonly waiting = new Set<() => void>();
  private map: SlotMap | undefined;
  private isRefreshing = false;
  private lastRefresh = Number.NEGATIVE_INFINITY;
  private next: ScheduledTask | undefined;
  /** Why the slot map is not known. */
  lastError: unknown;
  private closed = false;

  constructor(
    private readonly servers: ClusterServers,
    private readonly settings: TransportSettings,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.outages = new ClusterOutages(servers.seeds, settings.commandTimeout, scheduler, this);
    this.nodes = new ClusterNodes(servers, settings, scheduler, {
      forServer: (address) => ({
        reconnected: () => this.watcher.reconnected(),
        clockJumped: (ms) => this.watcher.clockJumped(ms),
        gaveUp: (what) => this.watcher.gaveUp(what),
        unavailable: (outage) => this.outages.lost(address, outage, settings.commandTimeout),
        available: () => this.outages.recovered(address),
      }),
      onLost: () => this.refreshSoon(),
    });
  }

  /** Refreshes the slot map soon: now, unless that was done just before. */
  refreshSoon(): void {
    if (this.closed || this.isRefreshing || this.next) return;
    this.outages.slotMapRequested();
    this.schedule(Math.max(0, this.lastRefresh + LEAST_PAUSE_MS - this.scheduler.now()));
  }

  /** Resolves when the slot map is known; rejects with `LockUnavailableError` (`not-sent`) at `deadline`. */
  async whenKnown(deadline: number, name?: string): Promise<void> {
    const ms = deadline - this.scheduler.now();
    if (!this.map && ms > 0 && !this.closed) {
      this.refreshSoon();
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.waiting.delete(done);
          timer.cancel();
          resolve();
        };
        const timer = this.scheduler.schedule(ms, done, { keepAlive: true });
        this.waiting.add(done);
      });
    }
    if (!this.map) throw clusterUnknown(name, ms, this.lastError ?? this.unreachable);
  }

  /** Why none of the servers that were asked has answered so far. */
  private get unreachable(): Error | undefined {
    return this.connected.map(({ unreachable }) => unreachable).find((error) => error !== undefined);
  }

  /** The master of the slot of a key, if known. */
  masterOf(key: string): Address | undefined {
    return this.map?.masterOf(key);
  }

  get isKnown(): boolean {
    return this.map !== undefined;
  }

  serves(address: Address): boolean {
    return this.masters.has(address);
  }

  get masters(): ReadonlySet<Address> {
    return this.map?.masters ?? new Set();
  }

  nodeFor(key: string): NodeExecutor | undefined {
    const owner = this.masterOf(key);
    return owner === undefined ? undefined : this.nodeAt(owner);
  }

  nodeAt(address: Address): NodeExecutor {
    return this.nodes.at(address);
  }

  /** Every server with a connection. */
  get connected(): readonly NodeExecutor[] {
    return this.nodes.all;
  }

  connectionTo(address: Address): ServerTarget {
    return this.servers.connectionTo(address);
  }

  /** Called when a server redirects a slot permanently. */
  moved(slot: number, address: Address): void {
    if (this.map?.replicas.has(address)) this.nodeAt(address).promoted();
    this.map?.move(slot, address);
    this.refreshSoon();
  }

  /** Address of a server that another one refers to; without a host it is on the same host. */
  resolveAddress(node: NodeExecutor, host: string, port: number): Address {
    return this.nodes.resolveAddress(node, host, port);
  }

  /** Calls `listener` after every refresh. */
  onRefresh(listener: () => void): void {
    this.refreshListeners.push(listener);
  }

  /** A server that takes over slots of another one is reported as reconnected. */
  watch(listener: BackendListener): void {
    this.watcher = listener;
  }

  async close(ms?: number): Promise<void> {
    this.closed = true;
    this.outages.end();
    this.next?.cancel();
    for (const resolve of this.waiting) resolve();
    await this.nodes.close(ms);
  }

  private schedule(ms: number): void {
    const refresh = (): void => {
      this.next = undefined;
      void this.refresh();
    };
    this.next = this.scheduler.schedule(ms, refresh, { keepAlive: this.waiting.size > 0 });
  }

  private async refresh(): Promise<void> {
    this.isRefreshing = true;
    const isChanged = await this.fetch();
    this.isRefreshing = false;
    this.lastRefresh = this.scheduler.now();
    if (this.closed) return;
    for (const listener of this.refreshListeners) listener();
    if (isChanged) this.watcher.reconnected();
    if (this.needsRefresh) this.schedule(TROUBLED_PAUSE_MS);
  }

  /** Whether the slot map is unknown, or a connection to a master is lost. */
  private get needsRefresh(): boolean {
    if (!this.map) return true;
    return [...this.masters].some((address) => this.nodes.isLost(address));
  }

  /**
   * Resolves with whether anything has changed. Never rejects: if no server answers, the slot map stays as it is. The
   * report of a server that has lost sight of most others is outdated, so it counts only as long as there is no slot
   * map at all.
   */
  private async fetch(): Promise<boolean> {
    const candidates = this.candidates();
    let doubtful: ClusterView | undefined;
    const ask = async (address: Address): Promise<ClusterView> => {
      const deadline = this.scheduler.now() + this.settings.commandTimeout;
      const view = await askClusterView(this.nodeAt(address), address, this.servers, deadline);
      if (view.isHealthy) return view;
      doubtful = view;
      throw new LockUnavailableError(`${address} reports cluster_state:fail`, 'refused', false);
    };
    while (candidates.length > 0 && !this.closed) {
      const asked = candidates.splice(0, ASKED_AT_ONCE).map(ask);
      try {
        return await this.apply(await Promise.any(asked));
      } catch (error) {
        const [first]: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
        this.lastError = first;
      }
    }
    return doubtful && !this.map ? this.apply(doubtful).catch(() => false) : false;
  }

  /** All servers that may know the slot map: connected ones first, then in random order to spread the load. */
  private candidates(): Address[] {
    const { map } = this;
    const known = new Set([...this.masters, ...(map?.replicas ?? []), ...this.servers.seeds]);
    const orderOf = (address: Address): number => Math.random() - (this.nodes.isReady(address) ? 1 : 0);
    const shuffled = [...known].map((address) => ({ address, order: orderOf(address) }));
    return shuffled.sort((a, b) => a.order - b.order).map(({ address }) => address);
  }

  private async apply({ map, node }: ClusterView): Promise<boolean> {
    const { shardedPubSub = 'auto' } = this.settings;
    if (!this.map) this.isSharded = shardedPubSub === 'auto' ? await askWhetherSharded(node) : shardedPubSub;
    const before = this.map;
    this.map = map;
    this.lastError = undefined;
    for (const master of map.masters) if (before?.replicas.has(master)) this.nodeAt(master).promoted();
    this.nodes.keepOnly(map.masters);
    this.outages.slotMapReceived();
    for (const resolve of this.waiting) resolve();
    return before !== undefined && map.differsFrom(before);
  }
}
