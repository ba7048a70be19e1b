import type { Outage, Recovery } from '../events/outage.js';

/**
 * A change of unknown outcome that is not followed up any more: a change of a number, which no lease puts right. Permits of
 * an `acquire` or `drain` may be missing, a `release` or `count-down` may not have happened.
 */
export interface GivenUp {
  /** The name of the semaphore or latch. */
  readonly name: string;
  readonly request: 'acquire' | 'drain' | 'release' | 'count-down';
  /** How many permits or counts; `undefined` for a `drain`, which takes all there are. */
  readonly count: number | undefined;
  /** Why it could not be confirmed, if Redis was asked at all. */
  readonly error: unknown;
}

/** Who wants to know what becomes of the servers, beside what requests tell. */
export interface BackendListener {
  /** A server answers again that did not, or another one has taken its place: what was held may be gone. */
  reconnected(): void;
  /** A server's wall clock, by which leases end there, was set by so many ms; negative: back. */
  clockJumped(ms: number): void;
  /** Something stays unknown. */
  gaveUp(what: GivenUp): void;
  /** Once for each outage. What is back within one command time-out is none. */
  unavailable(outage: Outage): void;
  /** Once for each outage that was told of. */
  available(recovery: Recovery): void;
}

export const nobodyWatches: BackendListener = {
  reconnected: () => {},
  clockJumped: () => {},
  gaveUp: () => {},
  unavailable: () => {},
  available: () => {},
};
