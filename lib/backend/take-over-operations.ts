import type { OwnerId } from '../context/owner-ids.js';
import type { HoldOutcome } from './lock-operations.js';

/** The kinds whose locks are one field on one server. */
export type ExclusiveKind = 'plain' | 'fair' | 'fenced' | 'spin';

/** Request to make another owner the holder of an exclusive lock of this kind. */
export interface TakeOverRequest {
  readonly kind: ExclusiveKind;
  readonly name: string;
  /** The present holder. */
  readonly from: OwnerId;
  readonly to: OwnerId;
  /** Milliseconds for which `to` holds the lock from now. */
  readonly lease: number;
}

/** How a held lock passes from one owner to another one that the first has named. `lost`: neither holds the lock. */
export interface TakeOverOperations {
  /**
   * Leaves the lock to an owner that does not act under it, whatever the hold count was. If the outcome stays unknown, it
   * may hold the lock for its lease.
   * @throws LockUnavailableError
   */
  detach(request: TakeOverRequest): Promise<HoldOutcome>;
  /**
   * Makes `to` a holder that acts under the lock, on the same terms as an acquisition: a server that forgot the first owner
   * to whom it passed the lock would pass it to a second. If the outcome is unknown, or too few replicas have it, `to` is
   * released, in the background if need be.
   * @throws LockUnavailableError
   */
  attach(request: TakeOverRequest): Promise<HoldOutcome>;
}
