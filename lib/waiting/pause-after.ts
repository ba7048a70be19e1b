import { LockUnavailableError } from '../errors.js';
import type { Busy } from './attempt-strategy.js';

/** Maximum jitter after the end of a lease, ms, so that the waiters of several processes do not all ask at once. */
const EXPIRY_JITTER_MS = 5;
/** Pause before the server is asked again if it could not answer, ms. */
export const UNAVAILABLE_PAUSE_MS = 100;

/** Milliseconds until the outcome may have changed, or an unavailable server may answer. */
export const pauseAfter = (outcome: Busy | LockUnavailableError): number => {
  if (outcome instanceof LockUnavailableError) return UNAVAILABLE_PAUSE_MS * (0.5 + Math.random());
  return outcome.remaining < 0 ? Number.POSITIVE_INFINITY : outcome.remaining + 1 + Math.random() * EXPIRY_JITTER_MS;
};
