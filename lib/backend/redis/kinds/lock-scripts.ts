import type { OwnerId } from '../../../context/ids.js';
import type { AcquireRequest, HoldRequest, Renewal } from '../../lock-operations.js';

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
