import type { OwnerId } from '../context/owner-ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import type { GrantChannel } from './granting-lock-operations.js';
import type { AcquireRequest, LimitUse, LockOperations } from './lock-operations.js';

/** A waiter's request for `name`, granted in the order of the queue. */
export interface QueueRequest extends AcquireRequest {
  /** Milliseconds for which a place is kept without a sign of life from its owner. */
  readonly slot: number;
  /** Milliseconds for which the lock may be given to it. Absent, or 0: it is told, and asks. */
  readonly firstLease?: number;
}

export type QueueOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly use?: LimitUse } | QueuedOutcome;

/** `queued`: appended to the queue just now. `waiting`: in the queue since an earlier request. */
export interface QueuedOutcome {
  readonly outcome: 'queued' | 'waiting';
  /** Holder of the lock, or the owner that gets it next. */
  readonly holder: OwnerId;
  /** Milliseconds until the holder's lease ends by itself, or the place of the next owner does; -1 if it never does. */
  readonly remaining: number;
  /** First owner of the queue. */
  readonly head: OwnerId;
  /** Whether waiters of Redisson may be ahead, which tell the next one on its own channel. */
  readonly isMixed: boolean;
  /** Of a limit; `holder` is then the owner whose permit must end before one is free. */
  readonly use?: LimitUse;
  /** Of a limit: how many permits are in use, and how many may be for this request. */
  readonly permits?: { readonly inUse: number; readonly limit: number };
}

/** Waiters of one name that have stopped waiting. */
export interface LeaveRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  /** Milliseconds for which the server may go on counting a hold that one of their attempts may have acquired. */
  readonly lease: number;
  readonly slot: number;
}

/** Waiters of one name that are still waiting. */
export interface KeepRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  readonly slot: number;
}

/**
 * The operations of a lock that is granted to its waiters in the order of their arrival, over all clients. A place ends
 * after about one slot without a sign of life from its owner. A release gives the lock to the head of the queue if its
 * client listens to its grants; otherwise the head is told, and asks.
 */
export interface FairLockOperations extends LockOperations {
  /** The channel on which a client is sent its grants of this lock; `undefined`: its waiters are told, and ask. */
  grantChannel(name: string, clientId: string): GrantChannel | undefined;
  /** The lease that a waiter for `lease` ms gets first when the lock is given to it; 0: it is told, and asks. */
  firstLease(name: string, lease: number): number;
  /** One attempt without waiting: neither overtakes a waiter nor joins the queue. */
  acquire: LockOperations['acquire'];
  /**
   * Acquires the lock if the owner is next, else gives it a place in the queue. The effect of a failed request is
   * settled by the owner's next request, or by {@link leave}.
   */
  queue(request: QueueRequest): Promise<QueueOutcome>;
  /**
   * Ends waits: gives up the places, and passes the lock on if one of the owners has acquired it or was given it. If the outcome stays
   * unknown, the backend retries in the background. To be called when no request of the owners is in flight.
   */
  leave(request: LeaveRequest): Promise<void>;
  /** Keeps places for another slot. Resolves with whether each owner has one, in order. */
  keep(request: KeepRequest): Promise<readonly boolean[]>;
}
