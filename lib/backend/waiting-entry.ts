import type { OwnerId } from '../context/owner-ids.js';

/** A client's entry among those that wait for a lock, of which it has one at most. */
export interface WaitingEntry {
  /** The owner that the lock is given to. */
  readonly owner: OwnerId;
  /** Milliseconds that it wants. */
  readonly lease: number;
  /** Milliseconds that it gets with a grant, until it extends them: the client may be dead. */
  readonly firstLease: number;
}

/** The entry with which a releasing client goes on waiting. */
export interface CarriedEntry extends WaitingEntry {
  /**
   * Called later if the release rejects: no copy of it can take effect any more. It is unknown whether the entry was
   * added, and granted.
   */
  onSettled(): void;
}
