import type { OwnerId } from '../../../context/owner-ids.js';
import type {
  AcquireRequest,
  ForceReleaseRequest,
  HoldRequest,
  ReleaseRequest,
  Renewal,
  WaitingEntry,
} from '../../lock-operations.js';
import type { RequestLimits } from '../../commands/deadline-request.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { type Written, writtenHold } from '../../commands/written.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { holdersChannel, lockChannel, waitingClients } from '../../../keys/redisson-keys.js';

/**
 * Replies stay raw tuples: a promise and an object more for each would cost as much as the rest of a command. `now`:
 * the server's time, ms. Two numbers: acquired, for `lease` ms. That is the usual reply, and numbers are parsed faster
 * than words. `late`: the server's clock had passed `notAfter`, nothing was done. `detail`: the holder if `busy`, the
 * next owner if `reserved`, the waiting writer if `kept-out`, the type found if `wrong-type`.
 */
export type AcquireReply<Use = unknown> =
  | readonly [lease: number, now: number]
  | readonly [
      outcome: 'acquired' | 'busy' | 'reserved' | 'kept-out' | 'late' | 'wrong-type',
      remaining: number,
      detail: string,
      now: number,
      fence?: bigint | undefined,
      use?: Use,
    ];

export type HoldReply = readonly [outcome: 'held' | 'lost' | 'late', now: number];

/** `held`: one for each renewal; 1 if it was still held, 0 if not, below 0 if it is unknown whether it was renewed. */
export type RenewReply = readonly [outcome: 'renewed' | 'late', now: number, ...held: number[]];

/**
 * The word alone: released, and no client listens. That is the usual reply, and one word is sent faster than a list.
 * `heard`: number of clients that received the announcement, if that was counted instead of reading the time; `asking`:
 * those of them that ask for the lock now. Another client has it if it was passed on, the releasing one if it was kept.
 */
export type ReleaseReply =
  | 'released'
  | readonly [heard: number, asking: number, outcome: 'released']
  | readonly [outcome: 'released' | 'passed-on' | 'kept' | 'not-held', now: number];

export type ForceReleaseReply = readonly [
  outcome: 'released' | 'not-held' | 'late' | 'wrong-type',
  detail: string,
  now: number,
];

export type InspectReply = readonly [
  outcome: 'locked' | 'free' | 'wrong-type',
  detail: string,
  count: number,
  remaining: number,
];

/** One attempt to release a lock; the server needs no lease for that. */
export type Release = Omit<ReleaseRequest, 'lease'>;

/** A waiting entry as `shared/waiting-entry.lua` knows it. */
export const textOf = ({ owner, lease, firstLease }: WaitingEntry): string => `${owner} ${lease} ${firstLease}`;

/** Arguments by which a script tells that a lock ends sooner: if it is silent, only clients with a waiting entry. */
export const shortening = (
  commands: ScriptExecutor,
  name: string,
  silent = false,
): Announcement & { readonly entries: string } => ({
  ...announcementOn(commands, lockChannel(name)),
  entries: silent ? waitingClients(name) : '',
});

/** The scripts of one kind of lock, with their keys and arguments. One script per operation. */
export interface LockScripts<Use = unknown> {
  /** The key of a lock. */
  keyOf(name: string): string;
  /** The data that an acquisition of an owner has written. */
  written(name: string, owner: OwnerId): Written;
  acquire(request: AcquireRequest, limits: RequestLimits): Promise<AcquireReply<Use>>;
  hold(request: HoldRequest, limits: RequestLimits): Promise<HoldReply>;
  renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply>;
  release(request: Release, deadline: number): Promise<ReleaseReply>;
  forceRelease(request: ForceReleaseRequest, limits: RequestLimits): Promise<ForceReleaseReply>;
  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply>;
}

/** The reentrant lock on Redisson's data: hash `name`, field `owner`, value hold count. */
export class PlainLockScripts implements LockScripts {
  constructor(protected readonly commands: ScriptExecutor) {}

  keyOf(name: string): string {
    return name;
  }

  written(name: string, owner: OwnerId): Written {
    return writtenHold(name, owner);
  }

  acquire(request: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease, replaces } = request;
    const args = { owner, lease, notAfter };
    if (replaces === undefined) return this.commands.run(scripts.lock.acquire, { lock: name }, args, deadline, name);
    const replacing = { ...args, ...this.replacing(name, replaces) };
    return this.commands.run(scripts.lock.replace, { lock: name }, replacing, deadline, name);
  }

  hold(request: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const { name, owner, count, lease, silent } = request;
    const args = { owner, count, lease, notAfter, ...shortening(this.commands, name, silent) };
    return this.commands.run(scripts.lock.hold, { lock: name }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    return this.commands.run(scripts.lock.renew, { locks }, { notAfter, holders }, deadline);
  }

  release(request: Release, deadline: number): Promise<ReleaseReply> {
    const { name, owner, silent, again } = request;
    const { channel, publish } = this.announcing(name, silent);
    const mayGrant = this.mayGrant(name);
    const carried = again ? textOf(again) : '';
    const wake = silent ? this.commands.publishCommand(channel) : '';
    const args = { owner, channel, publish, wake, waiters: waitingClients(name), again: carried, mayGrant };
    return this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);
  }

  forceRelease(
    { name, silent }: ForceReleaseRequest,
    { notAfter, deadline }: RequestLimits,
  ): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name, silent), notAfter };
    return this.commands.run(scripts.lock.forceRelease, { lock: name }, args, deadline, name);
  }

  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    return this.commands.run(scripts.lock.inspect, { lock: name }, { owner: owner ?? '' }, deadline, name);
  }

  protected replacing(name: string, replaces: 'asks' | 'takes') {
    return { ...this.announcing(name), asks: replaces === 'asks' ? 1 : 0, holders: holdersChannel(name) };
  }

  protected announcing(name: string, silent?: boolean): Announcement {
    return announcementOn(this.commands, lockChannel(name), silent);
  }

  protected mayGrant(name: string): number {
    return this.commands.mayGrant(name) ? 1 : 0;
  }
}
