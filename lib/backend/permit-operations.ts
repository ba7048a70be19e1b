import type { PermitId, PermitIds } from '../context/permit-ids.js';
import type { Renewal, RenewOutcome } from './lock-operations.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';

/** Request for as many permits as there are ids, or none. */
export interface PermitRequest {
  readonly name: string;
  /** At least one; new ids for every request, whatever the outcome of the last. */
  readonly ids: PermitIds;
  /** Milliseconds, counted by the server from the moment it grants; `Infinity`: until they are released. */
  readonly lease: number;
}

export type PermitOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. `available`: what is left. */
  | { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly available: number }
  /** `remaining`: ms until the lease of a permit in use ends by itself; -1 if none does. */
  | {
      readonly outcome: 'busy';
      readonly available: number;
      /** Whether the number of permits was ever set. */
      readonly isSet: boolean;
      readonly remaining: number;
    };

/**
 * `expired`: the permit was returned now, after its lease was over. `not-held`: it was returned before, or never in
 * use.
 */
export type PermitRelease = 'released' | 'expired' | 'not-held';

export type PermitLeaseOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'held'; readonly sent: Stopwatch } | { readonly outcome: 'not-held' };

export interface PermitState {
  /** Whether the number of permits was ever set. */
  readonly isSet: boolean;
  /** Below zero while more permits are in use than there are in total. */
  readonly available: number;
  /** Permits in use. */
  readonly out: number;
}

/**
 * The operations of a semaphore whose permits have ids and leases (Redisson: `RPermitExpirableSemaphore`). Each is
 * atomic. Permits whose lease is over return to the pool with the next request for permits or numbers. They reject with
 * `LockUnavailableError` if the backend cannot decide in time, and with `LockKeyTypeError` if the name belongs to a
 * key of another type. An acquisition whose outcome stays unknown is undone by the backend, in the background, until
 * that is confirmed; every other request that fails takes no effect afterwards.
 */
export interface PermitOperations {
  acquire(request: PermitRequest): Promise<PermitOutcome>;
  /** If the outcome stays unknown, the backend retries in the background. */
  release(name: string, id: PermitId): Promise<PermitRelease>;
  /** Releases all of them, or none if one is not in use or its lease is over. Retried in the background as well. */
  releaseAll(name: string, ids: PermitIds): Promise<'released' | 'not-held'>;
  /** @param lease Milliseconds from now; `Infinity`: until it is released. */
  updateLease(name: string, id: PermitId, lease: number): Promise<PermitLeaseOutcome>;
  /**
   * Sets leases to milliseconds from now; the owner of each renewal is the permit's id. A permit whose lease has ended is
   * not restored.
   */
  renew(renewals: readonly Renewal[]): Promise<RenewOutcome>;
  /** Milliseconds; `Infinity`: until it is released; `undefined`: not in use. */
  lease(name: string, id: PermitId): Promise<number | undefined>;
  inspect(name: string): Promise<PermitState>;
  /** Sets the total number of permits if it was never set. Resolves with whether it was set now. */
  trySetPermits(name: string, total: number): Promise<boolean>;
  /** Sets the total number of permits, including those in use. */
  setPermits(name: string, total: number): Promise<void>;
  /**
   * @param delta May be below zero.
   * @throws LockOptionsError if more would be available than a semaphore can have.
   */
  addPermits(name: string, delta: number): Promise<void>;
  /** Deletes the permits, including those in use, without an announcement. Resolves with whether there was anything. */
  delete(name: string): Promise<boolean>;
}
