import { wrongKeyType } from '../../../errors.js';
import {
  type KeepRequest,
  type LeaveRequest,
  QueuedLock,
  type QueueReply,
  type QueueRequest,
  type QueueScripts,
} from '../queued-lock.js';
import { type GrantChannel, longestFirstLease, RedisGrantChannel } from '../lock/granting-lock.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import type { AcquireRequest, ForceReleaseRequest, HoldRequest } from '../../lock-operations.js';
import {
  type AcquireReply,
  type ForceReleaseReply,
  type HoldReply,
  PlainLockScripts,
  type Release,
  type ReleaseReply,
} from '../lock/lock-scripts.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { fairDeadlines, fairQueue } from '../../../keys/redisson-keys.js';

/**
 * The first lease of a waiter for a fair lock is stored in the deadline of its place, as a fraction of a millisecond below
 * one half; see `shared/fair-places.lua`. So it ends with the place, and Redisson, which only adds whole numbers,
 * leaves it alone.
 */
const SHARES = 16_384;
/** First leases are multiples of this, ms, so that a double stores the deadline exactly. */
const UNIT = 8;
const LONGEST = SHARES / 2 - UNIT;

/**
 * The first lease of a waiter that wants `lease` ms: no longer than `longest`, and otherwise no shorter than the wanted
 * one. 0: too short to be given.
 */
export const firstLeaseWithin = (lease: number, longest: number): number => {
  const most = Math.floor(Math.min(longest, LONGEST) / UNIT) * UNIT;
  return lease < UNIT ? 0 : Math.min(Math.ceil(lease / UNIT) * UNIT, most);
};

export const fairKeys = (name: string): { lock: string; queue: string; deadlines: string } => ({
  lock: name,
  queue: fairQueue(name),
  deadlines: fairDeadlines(name),
});

/**
 * The fair lock on Redisson's data: the plain lock's hash, a list of the waiters, and a sorted set of their deadlines.
 * Each waiter subscribes to a channel of its own, named after that of the lock.
 */
export class FairLockScripts extends PlainLockScripts implements QueueScripts {
  override async acquire(request: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply<never>> {
    const { name, owner, lease } = request;
    const args = { owner, lease, notAfter, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.fairLock.acquire, fairKeys(name), args, deadline, name);
    const [outcome, remaining, detail, now, key] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(key, detail);
    return [outcome, remaining, detail, now];
  }

  async queue(
    { name, owner, lease, slot, firstLease = 0 }: QueueRequest,
    { notAfter, deadline }: RequestLimits,
  ): Promise<QueueReply> {
    const args = { owner, lease, slot, firstLease, notAfter, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.fairLock.queue, fairKeys(name), args, deadline, name);
    const [outcome, remaining, detail, now, head, mixed] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(head, detail);
    return { outcome, remaining, holder: detail, now, head, isMixed: mixed === 1 };
  }

  /** Resolves with the server's time. */
  async leave({ name, owners, slot }: Omit<LeaveRequest, 'lease'>, deadline: number): Promise<number> {
    const args = { slot, owners, ...this.announcing(name), mayGrant: this.mayGrant(name) };
    const [, now] = await this.commands.run(scripts.fairLock.leave, fairKeys(name), args, deadline, name);
    return now;
  }

  /** Resolves with one number for each owner; 1 if it has a place. */
  async keep({ name, owners, slot }: KeepRequest, deadline: number): Promise<readonly number[]> {
    const args = { slot, owners, ...this.announcing(name) };
    const [, , ...kept] = await this.commands.run(scripts.fairLock.keep, fairKeys(name), args, deadline, name);
    return kept;
  }

  override hold({ name, owner, count, lease }: HoldRequest, limits: RequestLimits): Promise<HoldReply> {
    const { notAfter, deadline } = limits;
    const args = { owner, count, lease, notAfter, ...this.announcing(name) };
    return this.commands.run(scripts.fairLock.hold, fairKeys(name), args, deadline, name);
  }

  override release({ name, owner }: Release, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.announcing(name), mayGrant: this.mayGrant(name) };
    return this.commands.run(scripts.fairLock.release, fairKeys(name), args, deadline, name);
  }

  override forceRelease(
    { name }: ForceReleaseRequest,
    { notAfter, deadline }: RequestLimits,
  ): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(scripts.fairLock.forceRelease, fairKeys(name), args, deadline, name);
  }
}

/**
 * Fair locks in Redis, which a release may give to the first waiter.
 *
 * The operations of a lock that is granted to its waiters in the order of their arrival, over all clients. A place ends
 * after about one slot without a sign of life from its owner. A release gives the lock to the head of the queue if its
 * client listens to its grants; otherwise the head is told, and asks.
 */
export class RedisFairLock extends QueuedLock {
  /** The channel on which a client is sent its grants of this lock; `undefined`: its waiters are told, and ask. */
  grantChannel(name: string, clientId: string): GrantChannel | undefined {
    return this.canGive(name) ? new RedisGrantChannel(this.commands, this.scheduler, name, clientId) : undefined;
  }

  /** The lease that a waiter for `lease` ms gets first when the lock is given to it; 0: it is told, and asks. */
  firstLease(name: string, lease: number): number {
    return this.canGive(name) ? firstLeaseWithin(lease, longestFirstLease(this.commands)) : 0;
  }

  /** Whether the lock can be given to waiters: a client that wants it confirmed by replicas must ask for it. */
  private canGive(name: string): boolean {
    return this.replicas === undefined && this.commands.knowsReceivers(name);
  }
}
