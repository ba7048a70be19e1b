import type { LockFamily } from '../lock-kind.js';

/** Where code finds a grant that it may join: in its scope. */
export interface GrantPlace<G> {
  /** Called when the last hold has left. */
  onClosed(): void;
  /** The place for a grant of another half of the same lock, in the same scope. */
  inHalf(family: LockFamily): GrantPlace<G>;
  /** Puts a grant there, in place of an earlier one. */
  put(grant: G): void;
}
