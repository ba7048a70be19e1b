import type {
  FairLockOperations,
  KeepRequest,
  LeaveRequest,
  QueueOutcome,
  QueueRequest,
} from '../fair-lock-operations.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  ReleaseOutcome,
  ReleaseRequest,
} from '../lock-operations.js';
import { MemoryFairQueue } from './fair-queue.js';
import { leaseText, MemoryLock } from './lock.js';
import { clientIdOf, hasBraces, isOurs, type OwnerId } from '../../context/owner-ids.js';
import { clientChannel, fairChannel } from '../../keys/redisson-keys.js';
import { firstLeaseWithin } from '../fair-first-lease.js';
import { grantText } from '../grant-text.js';
import type { GrantChannel } from '../granting-lock-operations.js';
import { FIRST_LEASE, memoryGrantChannel } from './granting-lock.js';

/** The fair lock in memory: the executable specification of `scripts/fair-lock/*.lua`. */
export class MemoryFairLock extends MemoryLock implements FairLockOperations {
  grantChannel(name: string, clientId: string): GrantChannel {
    return memoryGrantChannel(this.store, name, clientId);
  }

  override async acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { name } = request;
    const queue = this.queueOf(name);
    queue.assertUsable();
    const isNewHead = queue.purge();
    const { head } = queue;
    if (!head || this.locks.get(name)) return super.acquire(request);
    if (isNewHead) this.tellHead(name);
    const remaining = head.deadline === undefined ? -1 : Math.ceil(head.deadline - this.store.now());
    return { outcome: 'reserved', remaining, next: head.owner };
  }

  firstLease(_name: string, lease: number): number {
    return firstLeaseWithin(lease, FIRST_LEASE);
  }

  async queue({ name, owner, lease, slot, firstLease = 0 }: QueueRequest): Promise<QueueOutcome> {
    const queue = this.queueOf(name);
    queue.assertUsable();
    const isNewHead = queue.purge();
    queue.endBookings(slot);
    const held = this.locks.get(name);
    const next = held?.owner ?? queue.head?.owner ?? owner;
    if (next === owner) {
      if (!held) {
        queue.remove(owner, slot);
        // Others may know only of the place that has ended.
        this.tellNext(name, lease);
      }
      // Its lease may be a first one, or may have been extended meanwhile.
      const isShorter = this.store.remaining(name) < lease;
      this.locks.set(name, held ?? { owner, count: 1 }, isShorter ? lease : undefined);
      return { outcome: 'acquired', sent: this.store.stopwatch() };
    }
    const leased = held && this.store.remaining(name);
    const outcome = queue.has(owner) ? 'waiting' : 'queued';
    if (outcome === 'queued') queue.add(owner, slot, leased ?? 0, firstLease);
    const isMixed = outcome === 'waiting' || queue.isMixed;
    queue.limitHead(slot);
    if (!held && (isNewHead || outcome === 'waiting')) this.tellHead(name);
    const { owner: head, deadline = 0 } = queue.head ?? { owner };
    return { outcome, holder: next, remaining: leased ?? Math.ceil(deadline - this.store.now()), head, isMixed };
  }

  async leave({ name, owners, slot }: LeaveRequest): Promise<void> {
    const queue = this.queueOf(name);
    const next = queue.nextOfOurs?.owner;
    let isTurnOfHead = false;
    for (const owner of owners) {
      const isHolder = this.locks.find(name)?.owner === owner;
      if (isHolder) this.store.delete(name);
      isTurnOfHead ||= isHolder || (queue.head?.owner === owner && !this.store.entry(name));
      queue.remove(owner, slot);
    }
    if (isTurnOfHead) {
      queue.purge();
      if (!this.giveToHead(name)) this.tellHead(name);
    } else if (next !== undefined && owners.includes(next)) {
      // It may have been the only one to know when the lock ends.
      this.tellNext(name, this.store.remaining(name));
    }
  }

  async keep({ name, owners, slot }: KeepRequest): Promise<readonly boolean[]> {
    const queue = this.queueOf(name);
    queue.purge();
    queue.endBookings(slot);
    const kept = queue.keep(owners, slot);
    if (!this.store.entry(name)) this.tellHead(name);
    return owners.map((owner) => kept.has(owner));
  }

  override async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    const isHeld = this.locks.find(name)?.owner === owner;
    if (isHeld) this.store.delete(name);
    this.queueOf(name).purge();
    if (isHeld && this.giveToHead(name)) return { outcome: 'passed-on' };
    // As in Redisson, a release that finds no lock notifies the head as well.
    if (!this.store.entry(name)) this.tellHead(name);
    return { outcome: isHeld ? 'released' : 'not-held' };
  }

  override async forceRelease({ name }: ForceReleaseRequest): Promise<boolean> {
    const isHeld = this.locks.get(name) !== undefined;
    this.queueOf(name).purge();
    if (!isHeld) return false;
    this.store.delete(name);
    this.tellHead(name);
    return true;
  }

  protected override tellLease(name: string, lease: string): void {
    const queue = this.queueOf(name);
    queue.purge();
    // One that waits for the other lock of the queue asks when that ends.
    const isOfThis = queue.head && hasBraces(queue.head.owner) === name.includes('{');
    this.tellHead(name, isOfThis ? lease : '0');
  }

  private queueOf(name: string): MemoryFairQueue {
    return new MemoryFairQueue(this.store, name);
  }

  /** Gives the free lock to the head, if its client listens. */
  private giveToHead(name: string): boolean {
    const queue = this.queueOf(name);
    const { givable } = queue;
    // Redisson lets the locks `job` and `{job}` share a queue.
    if (!givable || hasBraces(givable.owner) !== name.includes('{')) return false;
    const { owner, firstLease } = givable;
    const channel = clientChannel(name, clientIdOf(owner));
    if (this.store.subscribers(channel) === 0) return false;
    queue.remove(owner, 0);
    this.locks.set(name, { owner, count: 1 }, firstLease);
    this.store.publish(channel, grantText(owner, firstLease, Math.floor(this.store.now())));
    this.tellNext(name, firstLease);
    return true;
  }

  /** Tells the first waiter of ours, which asks when the lock ends without a release, when that is. */
  private tellNext(name: string, lease: number): void {
    const { nextOfOurs: next } = this.queueOf(name);
    if (!next) return;
    const { owner, isGiven } = next;
    // One that waits for the other lock of the queue asks at once: it may know better when that ends.
    const message = hasBraces(owner) === name.includes('{') ? leaseText(lease) : '0';
    // A waiter that cannot be given the lock listens to its own channel only.
    if (isGiven) this.tellClient(name, owner, message);
    else this.store.publish(fairChannel(name, owner), message);
  }

  /** @param lease What a head of ours is told instead: when the lock ends. One of Redisson asks. */
  private tellHead(name: string, lease = '0'): void {
    const { head } = this.queueOf(name);
    if (!head) return;
    const message = isOurs(head.owner) ? lease : '0';
    this.store.publish(fairChannel(name, head.owner), message);
    if (isOurs(head.owner)) this.tellClient(name, head.owner, message);
  }

  private tellClient(name: string, owner: OwnerId, message: string): void {
    const other = name.includes('{') ? name.slice(1, -1) : `{${name}}`;
    const waitedFor = hasBraces(owner) === name.includes('{') ? name : other;
    this.store.publish(clientChannel(waitedFor, clientIdOf(owner)), message);
  }
}
