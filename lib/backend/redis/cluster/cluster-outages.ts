import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import { type Outage, titleOf } from '../../../events/outage.js';
import type { BackendListener } from '../../lock-backend.js';
import { Reachability } from '../connection/reachability.js';
import { clusterUnknown, messageOf } from '../connection/reply-errors.js';
import type { Address } from './cluster-servers.js';

/** The state of the watched cluster. */
export interface WatchedCluster {
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
  private readonly out = new Map<Address, KnownOutage>();
  private readonly told = new Set<Address>();

  constructor(
    seeds: readonly Address[],
    patience: number,
    private readonly scheduler: MonotonicScheduler,
    private readonly cluster: WatchedCluster,
  ) {
    const server = `cluster of ${seeds.join(', ')}`;
    this.whole = new Reachability(scheduler, patience, {
      onLost: () => {
        const error = clusterUnknown(undefined, patience, cluster.lastError);
        const why = cluster.lastError === undefined ? 'no server has answered yet' : messageOf(cluster.lastError);
        const reason = `${titleOf(server)} cannot be reached: ${why}`;
        cluster.watcher.unavailable({ server, reason, affects: 'all-locks', error });
      },
      onFound: (after) => cluster.watcher.available({ server, after, isReplaced: false }),
    });
  }

  /** Called when the slot map is requested. */
  asked(): void {
    if (!this.cluster.isKnown) this.whole.missing();
  }

  /** Called when the slot map was received again. */
  learned(): void {
    this.whole.found();
    for (const address of this.out.keys()) {
      if (this.cluster.serves(address)) this.tell(address);
      else this.recovered(address, true);
    }
  }

  lost(address: Address, outage: Outage, after: number): void {
    this.out.set(address, { ...outage, affects: 'its-slots', since: this.scheduler.now() - after });
    if (this.cluster.serves(address)) this.tell(address);
  }

  recovered(address: Address, isReplaced = false): void {
    const outage = this.out.get(address);
    this.out.delete(address);
    if (!outage || !this.told.delete(address)) return;
    const after = Math.round(this.scheduler.now() - outage.since);
    this.cluster.watcher.available({ server: address, after, isReplaced });
  }

  end(): void {
    this.whole.end();
  }

  private tell(address: Address): void {
    const outage = this.out.get(address);
    if (!outage || this.told.has(address)) return;
    this.told.add(address);
    this.cluster.watcher.unavailable(outage);
  }
}
