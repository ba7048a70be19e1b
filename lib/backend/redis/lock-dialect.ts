import type { OwnerId } from '../../scope/owner.js';
import type { AcquireRequest, HoldRequest, Renewal } from '../lock-transitions.js';

/** Until when a script may take effect, and how long its answer is waited for. */
export interface Limits {
  /** On the server's clock. */
  readonly notAfter: number;
  /** On the scheduler's. */
  readonly deadline: number;
}

/** Every reply carries the server's time, ms. `late`: the server's clock had passed `notAfter`, nothing was done. */
export interface AcquireReply {
  readonly outcome: 'acquired' | 'busy' | 'late' | 'wrong-type';
  readonly remaining: number;
  /** The holder where it is busy, the type found where that is wrong. */
  readonly detail: string;
  readonly now: number;
  readonly fence?: bigint;
}

export interface HoldReply {
  readonly outcome: 'held' | 'lost' | 'late';
  readonly now: number;
}

export interface RenewReply {
  readonly outcome: 'renewed' | 'late';
  readonly now: number;
  /** One for each renewal; 1 where it was still held. */
  readonly held: readonly number[];
}

export interface ReleaseReply {
  readonly outcome: 'released' | 'not-held';
  readonly now: number;
  /** How many clients were told, where that was counted. */
  readonly heard?: number;
}

export interface ForceReleaseReply {
  readonly outcome: 'released' | 'not-held' | 'wrong-type';
  readonly detail: string;
}

export interface InspectReply {
  readonly outcome: 'locked' | 'free' | 'wrong-type';
  readonly detail: string;
  readonly count: number;
  readonly remaining: number;
}

/** How one kind of lock says its transitions to Redis: which script, on which keys. One script a transition. */
export interface LockDialect {
  /** The key that a lock lives under. */
  keyOf(name: string): string;
  /** The field of the hash there that says that an owner holds. */
  fieldOf(name: string, owner: OwnerId): string;
  acquire(request: AcquireRequest, limits: Limits): Promise<AcquireReply>;
  hold(request: HoldRequest, limits: Limits): Promise<HoldReply>;
  renew(renewals: readonly Renewal[], limits: Limits): Promise<RenewReply>;
  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply>;
  forceRelease(name: string, deadline: number): Promise<ForceReleaseReply>;
  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply>;
}
