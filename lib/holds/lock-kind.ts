import type { LockOperations } from '../backend/lock-operations.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { SpinAcquirer } from '../waiting/spin-acquirer.js';
import type { Acquirer, HandOver } from '../waiting/acquirer.js';

export const LOCK_FAMILIES = ['exclusive', 'read', 'write', 'quorum', 'group'] as const;

/**
 * Kinds of one family share their holds: the owner of a plain lock re-enters the fair lock of the same name. The halves
 * of a read-write lock are held separately.
 */
export type LockFamily = (typeof LOCK_FAMILIES)[number];

/** A lock that the running code holds and is about to re-enter. */
export interface ReenteredLock {
  readonly name: string;
  readonly owner: OwnerId;
  readonly fence: bigint | undefined;
}

/** Everything that differs between kinds of locks. */
export interface LockKind {
  readonly family: LockFamily;
  /** The operations of the backend for this kind. */
  readonly operations: LockOperations;
  /** Acquires for new owners, at once or by waiting. A request is its lease, ms. */
  readonly acquirer: Acquirer<number, Acquired>;
  /** Hands locks over inside this process. Absent: every lock is released on the server. */
  readonly handOver?: HandOver<Acquired>;
  /**
   * Whether holds with a lease are renewed, too, until their end: the holders of a shared lock have one time to live in
   * Redis, which a Java peer may set to what its own hold needs. Absent: no.
   */
  readonly renewsLeases?: boolean;
  /** Whether releases are not announced, since all waiters poll. Absent: they are announced. */
  readonly silent?: boolean;
  /** Throws if this kind cannot re-enter the held lock. Absent: it always can. */
  readonly checkReentry?: (held: ReenteredLock) => void;
}

/** A kind whose waiters poll. */
export interface SpinKind extends LockKind {
  readonly acquirer: SpinAcquirer<number, Acquired>;
}
