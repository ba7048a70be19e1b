import type { PermitId, PermitIds } from '../context/ids.js';
import type { Stopwatch } from '../time/monotonic-scheduler.js';

/** As many permits as there are ids, or none. */
export interface PermitRequest {
  readonly name: string;
  /** At least one; new for every request, whatever became of the last. */
  readonly ids: PermitIds;
  /** Milliseconds, counted by the server from the moment it grants; `Infinity`: until they are released. */
  readonly lease: number;
}

export type PermitOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  | { readonly outcome: 'acquired'; readonly sent: Stopwatch }
  /** `remaining`: ms until the lease of a permit that is out ends by itself; -1 where none does. */
  | {
      readonly outcome: 'busy';
      readonly available: number;
      /** Whether it was ever said how many permits there are. */
      readonly isSet: boolean;
      readonly remaining: number;
    };

/** `expired`: it went back now, after its lease was over. `not-held`: it was back before, or never out. */
export type PermitRelease = 'released' | 'expired' | 'not-held';

export type PermitLeaseOutcome =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'held'; readonly sent: Stopwatch } | { readonly outcome: 'not-held' };

export interface PermitState {
  /** Whether it was ever said how many permits there are. */
  readonly isSet: boolean;
  /** Below zero while more permits are out than there are to be. */
  readonly available: number;
  /** Permits that are out. */
  readonly out: number;
}

/**
 * The transitions of a semaphore whose permits have ids and leases (Redisson: `RPermitExpirableSemaphore`). Each
 * happens at once and as a whole. Permits whose lease is over return to the pool whenever somebody asks for permits or
 * for numbers. They reject with `LockUnavailableError` when the backend cannot decide in time, and with
 * `WrongKeyTypeError` when something else lives under the name. An acquisition whose outcome stays unknown is undone by
 * the backend, in the background, until that is confirmed; everything else that fails takes no effect afterwards.
 */
export interface PermitOperations {
  acquire(request: PermitRequest): Promise<PermitOutcome>;
  /** Where the outcome stays unknown, the backend goes on in the background. */
  release(name: string, id: PermitId): Promise<PermitRelease>;
  /** All of them, or none where one is not out or its lease is over. Goes on in the background as well. */
  releaseAll(name: string, ids: PermitIds): Promise<'released' | 'not-held'>;
  /** @param lease Milliseconds from now; `Infinity`: until it is released. */
  updateLease(name: string, id: PermitId, lease: number): Promise<PermitLeaseOutcome>;
  /** Milliseconds; `Infinity`: until it is released; `undefined`: not out. */
  lease(name: string, id: PermitId): Promise<number | undefined>;
  inspect(name: string): Promise<PermitState>;
  /** How many permits there are, where nobody has said so yet. Resolves with whether that was so. */
  trySetPermits(name: string, total: number): Promise<boolean>;
  /** How many permits there are in all, those that are out included. */
  setPermits(name: string, total: number): Promise<void>;
  /**
   * @param delta May be below zero.
   * @throws LockOptionsError where more would be available than a semaphore can have.
   */
  addPermits(name: string, delta: number): Promise<void>;
  /** Permits that are out go with it; nobody is told. Resolves with whether there was anything. */
  delete(name: string): Promise<boolean>;
}
