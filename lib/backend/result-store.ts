import type { OwnerId } from '../context/owner-ids.js';

/** Result of the last flight. */
export interface StoredResult {
  readonly text: string;
  /** Milliseconds on the backend's clock. */
  readonly savedAt: number;
}

/** Result of a look-up at an instant of the backend's clock, ms. */
export interface Lookup {
  readonly now: number;
  readonly stored: StoredResult | undefined;
}

/** The result of a flight that has ended; `owner` has its lock. */
export interface SaveResult {
  readonly name: string;
  readonly owner: OwnerId;
  readonly text: string;
  /** Milliseconds for which others may find the result. */
  readonly keep: number;
}

/**
 * Store for the results of flights. Its methods reject with `LockUnavailableError` if the backend cannot answer in
 * time, and with `LockKeyTypeError` if the key of a result holds another type.
 */
export interface ResultStore {
  find(name: string): Promise<Lookup>;
  /** `lost`: the owner did not have the lock any more, and nothing was saved. May be executed twice. */
  save(landing: SaveResult): Promise<'kept' | 'lost'>;
}
