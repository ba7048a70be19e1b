import { LockUnavailableError } from '../errors.js';
import type { Busy } from './attempt-strategy.js';

/** Maximum jitter after the end of a lease, ms, so that the waiters of several processes do not all ask at once. */
const EXPIRY_JITTER_MS = 5;
/** Pause before the server is asked again if it could not answer, ms: twice as long each time, up to the longest. */
const UNAVAILABLE_PAUSE_MS = 100;
const LONGEST_UNAVAILABLE_PAUSE_MS = 600;

/**
 * Milliseconds until a server that could not answer `unanswered` attempts in a row is asked again. A slow connection on
 * which all waiters went on asking at the same pace would never answer any of them in time.
 */
export const pauseUnanswered = (unanswered: number): number =>
  Math.min(UNAVAILABLE_PAUSE_MS * 2 ** Math.max(0, unanswered - 1), LONGEST_UNAVAILABLE_PAUSE_MS) *
  (0.5 + Math.random());

/** Milliseconds until the outcome may have changed, or an unavailable server may answer. */
export const pauseAfter = (outcome: Busy | LockUnavailableError, unanswered: number): number => {
  if (outcome instanceof LockUnavailableError) return pauseUnanswered(unanswered);
  return outcome.remaining < 0 ? Number.POSITIVE_INFINITY : outcome.remaining + 1 + Math.random() * EXPIRY_JITTER_MS;
};
