import type { OwnerId } from '../context/ids.js';

/** What the last flight brought. */
export interface StoredResult {
  readonly text: string;
  /** When, ms on the backend's clock. */
  readonly savedAt: number;
}

/** What was found at an instant of the backend's clock, ms. */
export interface Lookup {
  readonly now: number;
  readonly stored: StoredResult | undefined;
}

/** A flight has ended; `owner` has its lock. */
export interface SaveResult {
  readonly name: string;
  readonly owner: OwnerId;
  readonly text: string;
  /** Milliseconds for which others may find it. */
  readonly keep: number;
}

/**
 * Where a flight leaves its result for others. They reject with `LockUnavailableError` when the backend cannot answer in
 * time, and with `WrongKeyTypeError` when something else lives where results are kept.
 */
export interface ResultStore {
  find(name: string): Promise<Lookup>;
  /** `lost`: the owner had the lock no more, and nothing was kept. May be executed twice. */
  save(landing: SaveResult): Promise<'kept' | 'lost'>;
}
