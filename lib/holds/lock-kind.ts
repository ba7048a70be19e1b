import type { LockBackend } from '../backend/lock-backend.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import type { LockOperations } from '../backend/lock-operations.js';
import type { NodeState } from '../backend/quorum/quorum-lock.js';
import type { OwnerId, OwnerIds } from '../context/owner-ids.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import type { DetachableKind } from './detaching/hold-token.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { SpinAcquirer } from '../waiting/spin-acquirer.js';
import type { Acquirer, HandOver } from '../waiting/acquirer.js';

export const LOCK_FAMILIES = ['exclusive', 'read', 'write', 'quorum', 'group', 'limit'] as const;

/**
 * Kinds of one family share their holds: the owner of a plain lock re-enters the fair lock of the same name. The halves
 * of a read-write lock are held separately.
 */
export type LockFamily = (typeof LOCK_FAMILIES)[number];

/** The name under which a lock is stored: that of its group, if it is in one. */
export const storedName = ({ family, name }: { readonly family: LockFamily; readonly name: string }): string =>
  family === 'group' ? partsOfGroupLock(name).group : name;

/** A lock that the running code holds and is about to re-enter. */
export interface ReenteredLock {
  readonly name: string;
  readonly owner: OwnerId;
  readonly acquired: { readonly fence: bigint | undefined };
}

/** How holds of a kind are detached. */
export interface Detaching {
  /** The kind, for the token. */
  readonly kind: DetachableKind;
  /** The name of the connection. */
  readonly connection: string;
  readonly operations: LockBackend['takeOver'];
}

/** How holds of one half of a read-write lock become holds of the other. */
export interface Converting {
  readonly operations: LockBackend['conversion'];
  readonly owners: OwnerIds;
  /** The kind of the other half. */
  readonly otherHalf: () => LockKind;
}

/** Everything that differs between kinds of locks. */
export interface LockKind {
  /** For events, metrics and inspections. */
  readonly name: LockKindName;
  readonly family: LockFamily;
  /** Word for this kind at the start of a sentence. Absent: `Lock`. */
  readonly what?: string;
  /** How many owners may hold it at once, if the kind allows a certain number. Absent: it has no such number. */
  readonly limit?: number;
  /**
   * The owner, if an application has chosen it: it holds the lock whatever code runs, in any process. Then a hold joins none
   * that encloses it, is not waited for, and may end by its lease. Absent: each acquisition has an owner of its own.
   */
  readonly owner?: OwnerId;
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
  /** Whether others may take its holds over at any time, so that code with a signal listens from the start. Absent: no. */
  readonly isReplaceable?: boolean;
  /** Whether releases are not announced, since all waiters poll. Absent: they are announced. */
  readonly silent?: boolean;
  /** How its holds can be detached. Absent: they cannot. */
  readonly detaching?: Detaching;
  /** How its holds are upgraded, if they read, or downgraded, if they write. Absent: they cannot be. */
  readonly converting?: Converting;
  /** Reads what each server has stored of a lock. Absent: there is only one server for a name. */
  readonly readNodes?: (name: string) => Promise<readonly NodeState[]>;
  /** Throws if this kind cannot re-enter the held lock. Absent: it always can. */
  readonly checkReentry?: (held: ReenteredLock) => void;
}

/** A kind whose waiters poll. */
export interface SpinKind extends LockKind {
  readonly acquirer: SpinAcquirer<number, Acquired>;
}
