import { messageOf } from '../../errors.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import { type Outage, titleOf } from '../../events/outage.js';
import type { BackendListener } from '../backend-listener.js';
import { Reachability } from '../connection/reachability.js';
import { clusterUnknown } from '../connection/reply-errors.js';
import type { Address } from './cluster-servers.js';

/** The state of the watched cluster. */
interface WatchedCluster {
  readonly watcher: BackendListener;
  /** Whether the slot map is known. */
  readonly isKnown: boolean;
  /** Why it is not. */
  readonly lastError: unknown;
  serves(address: Address): boolean;
}

interface KnownOutage extends Outage {
  readonly since: number;
}

/**
 * Reports masters that cannot be reached, and the whole cluster as long as its masters are unknown. Outages of other
 * servers, which were only asked for the slot map, are not reported: they fail no call.
 */
export class ClusterOutages {
  private readonly whole: Reachability;
  /** Servers out of reach, reported or not. */
  private readonly unreachable = new Map<Address, KnownOutage>();
  private readonly reported = new Set<Address>();

  constructor(
    seeds: readonly Address[],
    timeout: number,
    private readonly scheduler: MonotonicScheduler,
    private readonly cluster: WatchedCluster,
  ) {
    const server = `cluster of ${seeds.join(', ')}`;
    this.whole = new Reachability(scheduler, timeout, {
      onLost: () => {
        const error = clusterUnknown(undefined, timeout, cluster.lastError);
        const why = cluster.lastError === undefined ? 'no server has answered yet' : messageOf(cluster.lastError);
        const reason = `${titleOf(server)} cannot be reached: ${why}`;
        cluster.watcher.unavailable({ server, reason, affects: 'all-locks', error });
      },
      onFound: (after) => cluster.watcher.available({ server, after, isReplaced: false }),
    });
  }

  /** Called when the slot map is requested. */
  slotMapRequested(): void {
    if (!this.cluster.isKnown) this.whole.missing();
  }

  /** Called when the slot map was received again. */
  slotMapReceived(): void {
    this.whole.found();
    for (const address of this.unreachable.keys()) {
      if (this.cluster.serves(address)) this.report(address);
      else this.recovered(address, true);
    }
  }

  lost(address: Address, outage: Outage, after: number): void {
    this.unreachable.set(address, { ...outage, affects: 'its-slots', since: this.scheduler.now() - after });
    if (this.cluster.serves(address)) this.report(address);
  }

  recovered(address: Address, isReplaced = false): void {
    const outage = this.unreachable.get(address);
    this.unreachable.delete(address);
    if (!outage || !this.reported.delete(address)) return;
    const after = Math.round(this.scheduler.now() - outage.since);
    this.cluster.watcher.available({ server: address, after, isReplaced });
  }

  end(): void {
    this.whole.end();
  }

  private report(address: Address): void {
    const outage = this.unreachable.get(address);
    if (!outage || this.reported.has(address)) return;
    this.reported.add(address);
    this.cluster.watcher.unavailable(outage);
  }
}
