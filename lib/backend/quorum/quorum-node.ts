import type { RedisInspection } from '../kinds/inspection/redis-inspection.js';
import { LockUnavailableError } from '../../errors.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { StoredState } from '../kinds/inspection/inspection-operations.js';
import type { BackendListener, ServerHealth } from '../backend-listener.js';
import type { PubSub } from '../pubsub.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockOperations,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
} from '../lock-operations.js';

/**
 * Runs the requests of one owner to one node in the order they were made, also those whose answer was not awaited
 * because a quorum of the others had answered.
 */
export class PerOwnerQueue {
  private readonly last = new Map<OwnerId, Promise<unknown>>();

  /** Begins `work` when every earlier request of these owners has settled. */
  run<T>(owners: readonly OwnerId[], work: () => Promise<T>): Promise<T> {
    const before = owners.flatMap((owner) => this.last.get(owner) ?? []);
    const running = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const owner of owners) this.last.set(owner, running);
    const forget = (): void => {
      for (const owner of owners) if (this.last.get(owner) === running) this.last.delete(owner);
    };
    running.then(forget, forget);
    return running;
  }
}

/** One of the independent masters: a backend of its own. */
export interface NodeBackend {
  readonly lock: LockOperations;
  readonly inspection: Pick<RedisInspection, 'lock'>;
  readonly pubSub: PubSub;
  /** Identifies the server, by whatever address it is reached; `undefined` if unknown. */
  readonly serverId?: string | undefined;
  watch(listener: BackendListener): void;
  refuse(reason: Error): void;
  /** Asks the server whether it answers within `ms`. Never rejects. */
  check(ms: number): Promise<ServerHealth>;
  open(): void;
  close(ms: number): Promise<void>;
}

/** The longest that undoing an acquisition of `lease` ms can take, ms. */
const undoneWithin = (lease: number): number => 2 * lease + 1000;

/** One of the nodes, as a quorum uses it. */
export class QuorumNode {
  private readonly order = new PerOwnerQueue();
  /** Owners whose acquisition is being undone here, and until when: their holds here do not last. */
  private readonly undone = new Map<OwnerId, number>();

  constructor(
    /** Address of the node, without a password. */
    readonly label: string,
    private readonly backend: NodeBackend,
    private readonly scheduler: MonotonicScheduler,
  ) {}

  get serverId(): string | undefined {
    return this.backend.serverId;
  }

  get pubSub(): PubSub {
    return this.backend.pubSub;
  }

  acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { owner, lease } = request;
    return this.order.run([owner], async () => {
      try {
        return await this.backend.lock.acquire(request);
      } catch (error) {
        if (error instanceof LockUnavailableError && error.outcome === 'unknown') this.notHere(owner, lease);
        throw error;
      }
    });
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    const { owner } = request;
    return this.order.run([owner], async () => {
      const reply = await this.backend.lock.hold(request);
      return this.isUndone(owner) ? { outcome: 'lost' } : reply;
    });
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    const { owner } = request;
    return this.order.run([owner], async () => {
      const wasHeld = await this.backend.lock.leaveBehind(request);
      return wasHeld && !this.isUndone(owner);
    });
  }

  /** For each renewal, in order: whether the owner still held the lock. */
  renew(renewals: readonly Renewal[]): Promise<readonly boolean[]> {
    const owners = renewals.map(({ owner }) => owner);
    return this.order.run(owners, async () => {
      const { held } = await this.backend.lock.renew(renewals);
      return owners.map((owner, index) => held[index] === true && !this.isUndone(owner));
    });
  }

  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return this.order.run([request.owner], () => this.backend.lock.release(request));
  }

  forceRelease(request: ForceReleaseRequest): Promise<boolean> {
    return this.backend.lock.forceRelease(request);
  }

  inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const inspect = (): Promise<LockState> => this.backend.lock.inspect(name, owner);
    // The result must show the owner's earlier requests.
    return owner === undefined ? inspect() : this.order.run([owner], inspect);
  }

  /** All that is stored of a lock on this node. */
  read(name: string): Promise<StoredState> {
    return this.backend.inspection.lock(name);
  }

  /** Whether an acquisition of this owner is being undone here, so that the same owner must not acquire here again. */
  isUndone(owner: OwnerId): boolean {
    return (this.undone.get(owner) ?? Number.NEGATIVE_INFINITY) > this.scheduler.now();
  }

  watch(listener: BackendListener): void {
    this.backend.watch(listener);
  }

  refuse(reason: Error): void {
    this.backend.refuse(reason);
  }

  check(ms: number): Promise<ServerHealth> {
    return this.backend.check(ms);
  }

  open(): void {
    this.backend.open();
  }

  close(ms: number): Promise<void> {
    return this.backend.close(ms);
  }

  private notHere(owner: OwnerId, lease: number): void {
    const now = this.scheduler.now();
    // Leases are mostly alike, so the entries that have passed come first.
    for (const [earlier, until] of this.undone) {
      if (until > now) break;
      this.undone.delete(earlier);
    }
    this.undone.set(owner, now + undoneWithin(lease));
  }
}
