import type { OwnerId } from '../context/ids.js';

/** What the last flight brought. */
export interface Landed {
  readonly text: string;
  /** When, ms on the backend's clock. */
  readonly landedAt: number;
}

/** What was found at an instant of the backend's clock, ms. */
export interface Found {
  readonly now: number;
  readonly landed: Landed | undefined;
}

/** A flight has ended; `owner` has its lock. */
export interface Landing {
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
export interface FlightTransitions {
  find(name: string): Promise<Found>;
  /** `lost`: the owner had the lock no more, and nothing was kept. May be executed twice. */
  land(landing: Landing): Promise<'kept' | 'lost'>;
}
