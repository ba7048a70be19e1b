import type { OwnerId } from '../../context/owner-ids.js';
import { fairChannel, limitChannel } from '../../keys/redisson-keys.js';
import type { KeepRequest, LeaveRequest, QueueOutcome } from '../fair-lock-operations.js';
import type { LimitOperations, LimitQueueRequest, LimitRequest } from '../limit-operations.js';
import type {
  AcquireOutcome,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-operations.js';
import { leftBehind } from './left-behind.js';
import { MemoryLimitData } from './limit-data.js';
import type { MemoryStore } from './memory-store.js';

/** Permits of limits in memory: the executable specification of `scripts/limit/*.lua`. */
export class MemoryLimit implements LimitOperations {
  private readonly data: MemoryLimitData;

  constructor(private readonly store: MemoryStore) {
    this.data = new MemoryLimitData(store);
  }

  async acquire({ name, owner, lease, limit }: LimitRequest): Promise<AcquireOutcome> {
    const head = this.data.headOf(name);
    if (head.isNew) this.tellNext(name);
    const { before, inUse, isRepeated } = this.data.usage(name, owner);
    const use = { inUse, before };
    if (inUse >= limit && !isRepeated) return { outcome: 'busy', ...this.data.blocking(name, limit), use };
    if (head.owner !== undefined && !isRepeated) {
      return { outcome: 'reserved', remaining: Math.ceil(head.left), next: head.owner };
    }
    const now = this.data.take(name, owner, lease, limit);
    return { outcome: 'acquired', sent: this.store.stopwatch(), use: { inUse: now, before } };
  }

  async queue({ name, owner, lease, limit, slot }: LimitQueueRequest): Promise<QueueOutcome> {
    const head = this.data.headOf(name);
    const { before, inUse, isRepeated } = this.data.usage(name, owner);
    if (isRepeated || (inUse < limit && (head.owner ?? owner) === owner)) {
      const now = this.data.take(name, owner, lease, limit);
      this.data.removePlace(name, owner);
      // The next one may have another limit.
      if (now < limit || before !== limit) this.tellNext(name);
      return { outcome: 'acquired', sent: this.store.stopwatch(), use: { inUse: now, before } };
    }
    const outcome = this.data.find(name)?.places.has(owner) ? 'waiting' : 'queued';
    if (outcome === 'queued') this.data.setPlace(name, owner, slot);
    if (head.isNew && head.owner !== undefined && head.owner !== owner) this.tellNext(name, head.owner);
    const use = { inUse, before };
    const first = head.owner ?? owner;
    const { holder, remaining } =
      inUse < limit ? { holder: first, remaining: Math.ceil(head.left) } : this.data.blocking(name, limit);
    return { outcome, holder, remaining, head: first, isMixed: false, use };
  }

  async leave({ name, owners }: LeaveRequest): Promise<void> {
    if (!this.data.find(name)) return;
    const before = this.data.headOf(name);
    let isNext = before.isNew;
    for (const owner of owners) {
      const { isRepeated: held } = this.data.usage(name, owner);
      if (held) this.data.removePermit(name, owner);
      const hadPlace = this.data.removePlace(name, owner);
      isNext ||= held || (hadPlace && owner === before.owner);
    }
    const { owner } = this.data.headOf(name);
    if (isNext) this.tellNext(name, owner);
    this.data.deleteIfEmpty(name);
  }

  async keep({ name, owners, slot }: KeepRequest): Promise<readonly boolean[]> {
    if (!this.data.find(name)) return owners.map(() => false);
    const head = this.data.headOf(name);
    const kept = owners.map((owner) => {
      const hasPlace = this.data.find(name)?.places.has(owner) ?? false;
      if (hasPlace) this.data.setPlace(name, owner, slot);
      return hasPlace;
    });
    if (head.isNew) this.tellNext(name, head.owner);
    return kept;
  }

  async hold({ name, owner, lease }: HoldRequest): Promise<HoldOutcome> {
    const kept = this.data.keepPermit(name, owner, lease);
    if (kept === 'none') return { outcome: 'lost' };
    // Each waiter is measured by its own limit: it asks when the permit that it waits for ends.
    if (kept === 'shortened') this.tellNext(name);
    return { outcome: 'held', sent: this.store.stopwatch() };
  }

  async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    const stored = this.data.find(name);
    if (!stored || !this.data.inUse(stored).has(owner)) return { outcome: 'not-held' };
    this.data.removePermit(name, owner);
    this.tellNext(name);
    this.data.deleteIfEmpty(name);
    return { outcome: 'released' };
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return leftBehind(this, request);
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner, lease }) => this.data.keepPermit(name, owner, lease) !== 'none');
    return { sent: this.store.stopwatch(), held };
  }

  async forceRelease({ name }: ForceReleaseRequest): Promise<boolean> {
    const stored = this.data.get(name);
    if (!stored) return false;
    const wereInUse = this.data.inUse(stored).size > 0;
    this.tellNext(name);
    this.data.removePermits(name);
    this.data.deleteIfEmpty(name);
    return wereInUse;
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const deadlines = this.data.inUse(this.data.get(name));
    if (deadlines.size === 0) return { locked: false, count: 0, remaining: -2 };
    const count = owner !== undefined && deadlines.has(owner) ? 1 : 0;
    return { locked: true, count, remaining: this.data.blocking(name, 1).remaining };
  }

  /** Tells the head that it may ask for a permit; without a head, the waiters that have no place. */
  private tellNext(name: string, head = this.data.headOf(name).owner): void {
    this.store.publish(head === undefined ? limitChannel(name) : fairChannel(name, head));
  }
}
