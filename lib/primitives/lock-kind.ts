import type { LockTransitions } from '../backend/lock-transitions.js';
import type { Acquired } from '../waiting/attempt.js';
import type { Acquisitions } from '../waiting/tries.js';

/**
 * Kinds of one family share their holds: who has the plain lock of a name re-enters its fair lock. The halves of a
 * read-write lock are held separately.
 */
export type LockFamily = 'exclusive' | 'read' | 'write' | 'quorum';

/** What tells one kind of lock from the others. */
export interface LockKind {
  readonly family: LockFamily;
  /** How its state changes. */
  readonly transitions: LockTransitions;
  /** How new owners get it: at once, or by waiting. Wanted is the lease, ms. */
  readonly acquisitions: Acquisitions<number, Acquired>;
}

/** The kinds that every connection has. */
export type LockKinds = Readonly<Record<'plain' | 'spin', LockKind>>;
