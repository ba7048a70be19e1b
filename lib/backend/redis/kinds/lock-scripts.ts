import type { OwnerId } from '../../../context/ids.js';
import type { AcquireRequest, HoldRequest, Renewal } from '../../lock-operations.js';
import type { PublishCommand, ScriptExecutor } from '../commands/script-executor.js';
import { scripts } from '../scripts/scripts.generated.js';
import { lockChannel } from '../../../keys/redisson-keys.js';

/** Until when a script may take effect, and how long its answer is waited for. */
export interface RequestLimits {
  /** On the server's clock. */
  readonly notAfter: number;
  /** On the scheduler's. */
  readonly deadline: number;
}

/**
 * Replies are as scripts give them: a promise and an object more for each would cost as much as the rest of a command.
 * `now`: the server's time, ms.
 *
 * Two numbers: acquired, for `lease` ms. It is what mostly happens, and numbers are read sooner than words. `late`: the
 * server's clock had passed `notAfter`, nothing was done. `detail`: the holder where it is busy, whose turn it is
 * where it is reserved, the type found where that is wrong.
 */
export type AcquireReply =
  | readonly [lease: number, now: number]
  | readonly [
      outcome: 'acquired' | 'busy' | 'reserved' | 'late' | 'wrong-type',
      remaining: number,
      detail: string,
      now: number,
      fence?: bigint,
    ];

export type HoldReply = readonly [outcome: 'held' | 'lost' | 'late', now: number];

/** `held`: one for each renewal; 1 where it was still held, 0 where not, below 0 where it is unknown whether it is renewed. */
export type RenewReply = readonly [outcome: 'renewed' | 'late', now: number, ...held: number[]];

/** `heard`: how many clients were told, where that was counted. */
export type ReleaseReply = readonly [outcome: 'released' | 'not-held', now: number, heard?: number];

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

/** How one kind of lock says its transitions to Redis: which script, on which keys. One script a transition. */
export interface LockScripts {
  /** The key that a lock lives under. */
  keyOf(name: string): string;
  /** The field of the hash there that says that an owner holds. */
  fieldOf(name: string, owner: OwnerId): string;
  acquire(request: AcquireRequest, limits: RequestLimits): Promise<AcquireReply>;
  hold(request: HoldRequest, limits: RequestLimits): Promise<HoldReply>;
  renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply>;
  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply>;
  forceRelease(name: string, limits: RequestLimits): Promise<ForceReleaseReply>;
  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply>;
}

/** The reentrant lock on Redisson's data: hash `name`, field `owner`, value hold count. */
export class PlainLockScripts implements LockScripts {
  /** @param isAnnounced Whether waiters are told of a release; Redisson's spin lock tells nobody. */
  constructor(
    protected readonly commands: ScriptExecutor,
    private readonly isAnnounced = true,
  ) {}

  keyOf(name: string): string {
    return name;
  }

  fieldOf(_name: string, owner: OwnerId): string {
    return owner;
  }

  acquire({ name, owner, lease }: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const args = { owner, lease, notAfter };
    return this.commands.run(scripts.lock.acquire, { lock: name }, args, deadline, name);
  }

  hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const args = { owner, count, lease, notAfter };
    return this.commands.run(scripts.lock.hold, { lock: name }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const locks = renewals.map(({ name }) => name);
    const holders = renewals.flatMap(({ owner, lease }) => [owner, String(lease)]);
    return this.commands.run(scripts.lock.renew, { locks }, { notAfter, holders }, deadline);
  }

  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.announcing(name) };
    return this.commands.run(scripts.lock.release, { lock: name }, args, deadline, name);
  }

  forceRelease(name: string, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(scripts.lock.forceRelease, { lock: name }, args, deadline, name);
  }

  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    return this.commands.run(scripts.lock.inspect, { lock: name }, { owner: owner ?? '' }, deadline, name);
  }

  /** Where a release is announced, and by which command; by none where it is not. */
  protected announcing(name: string): { channel: string; publish: PublishCommand | '' } {
    const channel = lockChannel(name);
    return { channel, publish: this.isAnnounced ? this.commands.publishCommand(channel) : '' };
  }
}
