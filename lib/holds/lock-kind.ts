import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/ids.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { SpinAcquirer } from '../waiting/spin-acquirer.js';
import type { Acquirer, HandOver } from '../waiting/acquirer.js';

export const LOCK_FAMILIES = ['exclusive', 'read', 'write', 'quorum', 'group'] as const;

/**
 * Kinds of one family share their holds: who has the plain lock of a name re-enters its fair lock. The halves of a
 * read-write lock are held separately.
 */
export type LockFamily = (typeof LOCK_FAMILIES)[number];

/** What the running code holds of a lock that it is about to take once more. */
export interface HeldLock {
  readonly name: string;
  readonly owner: OwnerId;
  readonly fence: bigint | undefined;
}

/** What tells one kind of lock from the others. */
export interface LockKind {
  readonly family: LockFamily;
  /** How its state changes. */
  readonly operations: LockOperations;
  /** How new owners get it: at once, or by waiting. Wanted is the lease, ms. */
  readonly acquirer: Acquirer<number, Acquired>;
  /** How it goes on from one to the next in this process. Absent: only by the server. */
  readonly handOver?: HandOver<Acquired>;
  /**
   * Whether a hold with a lease is renewed as well, until its end: what several hold has one time to live, which a Java
   * peer may set to what its own hold needs. Absent: no.
   */
  readonly renewsLeases?: boolean;
  /** Throws where what is held cannot be held once more by this kind. Absent: it always can. */
  readonly checkReentry?: (held: HeldLock) => void;
}

/** A kind whose waiters ask again and again. */
export interface SpinKind extends LockKind {
  readonly acquirer: SpinAcquirer<number, Acquired>;
}
