import type { OwnerId } from '../context/owner-ids.js';
import type { HoldOutcome } from './lock-operations.js';

/** Request of an owner of one half of a read-write lock to make another owner the holder of the other half. */
export interface ConversionRequest {
  readonly name: string;
  /** The present owner. Its hold ends, whatever its hold count was. */
  readonly from: OwnerId;
  /** The owner that goes on with the lock; its id was never used before. */
  readonly to: OwnerId;
  /** Milliseconds for which `to` holds the lock from now. */
  readonly lease: number;
}

/**
 * `lost`: `from` does not hold its half any more. `unconfirmed`: it is unknown which of the two holds the lock, or too
 * few replicas know; both are released, in the background if need be. `reason`: why.
 */
export type ConversionOutcome = HoldOutcome | { readonly outcome: 'unconfirmed'; readonly reason: unknown };

/** `others`: that many other owners read. `writes`: the reader is the writer as well. Nothing was changed. */
export type UpgradeOutcome =
  ConversionOutcome | { readonly outcome: 'others'; readonly readers: number } | { readonly outcome: 'writes' };

/**
 * How a hold of one half of a read-write lock becomes a hold of the other half. Each is atomic: no other owner has the
 * lock in between. They reject with `LockUnavailableError` if nothing was changed.
 */
export interface ConversionOperations {
  /** Makes a reader the writer, under another id, if no other owner reads. Waiting writers are overtaken. */
  upgrade(request: ConversionRequest): Promise<UpgradeOutcome>;
  /** Makes the writer a reader, under another id, and lets other readers in. Reads of the writer stay as they are. */
  downgrade(request: ConversionRequest): Promise<ConversionOutcome>;
}
