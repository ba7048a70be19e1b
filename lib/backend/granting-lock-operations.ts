import type { OwnerId } from '../context/owner-ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';
import type { AcquireOutcome, LockOperations } from './lock-operations.js';
import type { WaitingEntry } from './waiting-entry.js';

/** A request to acquire the lock, or to be given it when it is the client's turn. */
export interface WaitRequest {
  readonly name: string;
  readonly entry: WaitingEntry;
  /** Whether the entry is to be added. Otherwise, one that is not there any more is not added again. */
  readonly isNew: boolean;
}

/** `gone`: the entry is not there any more, and its owner was not given the lock, or has released it. */
export type WaitOutcome = AcquireOutcome | { readonly outcome: 'gone' };

/** The lock that an entry was given. */
export interface ReceivedGrant {
  readonly owner: OwnerId;
  /** Milliseconds, counted from `sent`. */
  readonly lease: number;
  /** Started before the grant. */
  readonly sent: Stopwatch;
}

/** Where a client is sent its grants. */
export interface GrantChannel {
  readonly name: string;
  /** The grant in a message; `undefined`: it is none, or it is unknown how old it is. */
  read(message: string): ReceivedGrant | undefined;
}

/**
 * The operations of a lock that is given by the client that releases it to the client that has waited longest. A client
 * that has no entry, such as one of Redisson, gets its turn as well: the lock is then free for a moment.
 */
export interface GrantingLockOperations extends LockOperations {
  /** Whether clients can wait for grants of this lock. */
  canWait(name: string): boolean;
  /** The channel on which a client is sent its grants of this lock. */
  grantChannel(name: string, clientId: string): GrantChannel;
  /** An entry that was not sent yet. @param lease Milliseconds. */
  entryOf(owner: OwnerId, lease: number): WaitingEntry;
  /**
   * Acquires the lock, or waits for it on the server. If the outcome stays unknown, the entry must be withdrawn, unless
   * its owner was given the lock.
   */
  wait(request: WaitRequest): Promise<WaitOutcome>;
  /**
   * Removes the entry, and passes the lock on if its owner was given it. If the outcome stays unknown, the backend
   * retries in the background.
   */
  withdraw(name: string, entry: WaitingEntry): void;
}
