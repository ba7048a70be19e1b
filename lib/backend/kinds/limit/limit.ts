import {
  type KeepRequest,
  type LeaveRequest,
  QueuedLock,
  type QueueReply,
  type QueueRequest,
  type QueueScripts,
} from '../queued-lock.js';
import type { AcquireRequest, ForceReleaseRequest, HoldRequest, Renewal } from '../../lock-operations.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import { wrongKeyType } from '../../../errors.js';
import { limitChannel, limitPermits, lockChannel } from '../../../keys/redisson-keys.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { type Written, writtenPermit } from '../../commands/written.js';
import { scripts } from '../../scripts/scripts.generated.js';
import type {
  AcquireReply,
  ForceReleaseReply,
  HoldReply,
  InspectReply,
  Release,
  ReleaseReply,
  RenewReply,
} from '../lock/lock-scripts.js';

/** A new owner's request for one of at most `limit` permits. */
interface LimitRequest extends AcquireRequest {
  readonly limit: number;
  /** Whether the permit gets a number that no other has. Absent: it has none. */
  readonly isNumbered?: boolean;
}

/** A waiter's request for one of at most `limit` permits, granted in the order of the queue. */
interface LimitQueueRequest extends QueueRequest {
  readonly limit: number;
  readonly isNumbered?: boolean;
}

/** How a limit was used at the time of a request. */
export interface LimitUse {
  /** Number of permits in use, with that of the request if it got one. */
  readonly inUse: number;
  /** The limit that the last owner before was admitted with; 0 if there was none. */
  readonly before: number;
  /** Number of the permit. Absent: the request got none, or one without a number. */
  readonly slot?: number;
}

/** @param number Below 0: none. */
const useOf = (inUse: number, before: number, number: number): LimitUse =>
  number < 0 ? { inUse, before } : { inUse, before, slot: number };

/** The permits of a limit: a sorted set of our own, which Redisson does not know. */
export class LimitScripts implements QueueScripts<LimitUse> {
  constructor(private readonly commands: ScriptExecutor) {}

  keyOf(name: string): string {
    return limitPermits(name);
  }

  written(name: string, owner: OwnerId): Written {
    return writtenPermit(name, owner);
  }

  async acquire(request: LimitRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply<LimitUse>> {
    const { name, owner, lease, limit, isNumbered } = request;
    const permits = this.keyOf(name);
    const args = { owner, lease, limit, numbered: isNumbered ? 1 : 0, notAfter, ...this.telling(name) };
    const reply = await this.commands.run(scripts.limit.acquire, { permits }, args, deadline, name);
    const [outcome, remaining, detail, now, inUse, before, number] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(permits, detail);
    return [outcome, remaining, detail, now, undefined, useOf(inUse, before, number)];
  }

  async queue(request: LimitQueueRequest, { notAfter, deadline }: RequestLimits): Promise<QueueReply<LimitUse>> {
    const { name, owner, lease, limit, isNumbered, slot } = request;
    const permits = this.keyOf(name);
    const args = { owner, lease, limit, numbered: isNumbered ? 1 : 0, slot, notAfter, ...this.telling(name) };
    const reply = await this.commands.run(scripts.limit.queue, { permits }, args, deadline, name);
    const [outcome, remaining, detail, now, head, inUse, before, number] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(permits, detail);
    return { outcome, remaining, holder: detail, now, head, isMixed: false, use: useOf(inUse, before, number) };
  }

  async leave({ name, owners }: Omit<LeaveRequest, 'lease'>, deadline: number): Promise<number> {
    const args = { owners, ...this.telling(name) };
    const [, now] = await this.commands.run(scripts.limit.leave, { permits: this.keyOf(name) }, args, deadline, name);
    return now;
  }

  async keep({ name, owners, slot }: KeepRequest, deadline: number): Promise<readonly number[]> {
    const args = { slot, owners, ...this.telling(name) };
    const reply = await this.commands.run(scripts.limit.keep, { permits: this.keyOf(name) }, args, deadline, name);
    const [, , ...kept] = reply;
    return kept;
  }

  hold({ name, owner, lease }: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const args = { owner, lease, notAfter, ...this.telling(name) };
    return this.commands.run(scripts.limit.hold, { permits: this.keyOf(name) }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const sets = renewals.map(({ name }) => this.keyOf(name));
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    return this.commands.run(scripts.limit.renew, { sets }, { notAfter, holders }, deadline);
  }

  release({ name, owner }: Release, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.telling(name) };
    return this.commands.run(scripts.limit.release, { permits: this.keyOf(name) }, args, deadline, name);
  }

  async forceRelease({ name }: ForceReleaseRequest, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const permits = this.keyOf(name);
    const args = { ...this.telling(name), notAfter };
    const reply = await this.commands.run(scripts.limit.forceRelease, { permits }, args, deadline, name);
    const [outcome, detail] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(permits, detail);
    return reply;
  }

  async inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    const permits = this.keyOf(name);
    const reply = await this.commands.run(scripts.limit.inspect, { permits }, { owner: owner ?? '' }, deadline, name);
    const [outcome, detail] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(permits, detail);
    return reply;
  }

  /** Arguments by which a script tells the next waiter: on a channel of its own if it has a place. */
  private telling(name: string): Announcement & { readonly turns: string } {
    return { ...announcementOn(this.commands, limitChannel(name)), turns: lockChannel(name) };
  }
}

/**
 * Limits in Redis: the scripts read how many permits a request allows.
 *
 * The permits of a limit: a lock with up to `limit` owners, each with a lease of its own. Each request is measured by its
 * own limit: it is granted if fewer permits are in use. A hold count is not stored: an owner has one permit. Waiters may
 * queue for permits, over all clients; a release tells the head of the queue, which asks.
 */
export class RedisLimit extends QueuedLock<LimitRequest, LimitQueueRequest, LimitUse> {}
