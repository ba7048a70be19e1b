import type { OwnerId } from '../context/ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import type { AcquireRequest, LockOperations } from './lock-operations.js';

/** A waiter wants `name`, when its turn has come. */
export interface QueueRequest extends AcquireRequest {
  /** Milliseconds for which a place is kept whose owner does not say that it still waits. */
  readonly slot: number;
}

export type QueueOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'acquired'; readonly sent: Stopwatch } | QueuedOutcome;

/** `queued`: at the end of the queue, just now. `waiting`: where the owner has been before. */
export interface QueuedOutcome {
  readonly outcome: 'queued' | 'waiting';
  /** Who holds the lock, or who is to have it next. */
  readonly holder: OwnerId;
  /** Milliseconds until the lease of the holder ends by itself, -1 where it never does; or the place of the next. */
  readonly remaining: number;
  /** Whose turn is next. */
  readonly head: OwnerId;
}

/** Waiters of one name do not wait any more. */
export interface LeaveRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  /** Milliseconds for which the server may go on counting the hold that their tries may have got them. */
  readonly lease: number;
  readonly slot: number;
}

/** Waiters of one name are alive. */
export interface KeepRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  readonly slot: number;
}

/**
 * The transitions of a lock that goes to its waiters in the order they came, over all clients. Places end when their
 * owners are not heard of for about a slot.
 */
export interface FairLockOperations extends LockOperations {
  /** One try of somebody who does not wait: neither overtakes a waiter nor becomes one. */
  acquire: LockOperations['acquire'];
  /**
   * Takes the lock if it is the owner's turn, else the owner has a place in the queue afterwards. What a failed request
   * did is settled by the owner's next, or by {@link leave}.
   */
  queue(request: QueueRequest): Promise<QueueOutcome>;
  /**
   * Ends waits: the places are given up, and the lock released if one of the owners has got it. Where the outcome stays
   * unknown, the backend goes on in the background. To be called when no request of the owners is on its way.
   */
  leave(request: LeaveRequest): Promise<void>;
  /** Keeps places for another slot. Resolves with which owners have one, in order. */
  keep(request: KeepRequest): Promise<readonly boolean[]>;
}
