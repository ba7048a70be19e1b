import { isPassing, LockTimeoutError } from '../errors.js';

/** The longest wait of a late round, ms. */
const LONGEST_MS = 1500;

/**
 * How long one round of acquiring several locks waits, ms. Doubles with each round, so that a caller that needs many
 * locks gets them in the end. Randomized, so that two callers that took each other's members do not collide again and
 * again: one of them gives up first, and the other gets its members.
 * @param round Counted from 0.
 * @param shortest The wait of the first round, ms.
 */
export const roundPatience = (round: number, shortest: number): number =>
  Math.min(LONGEST_MS, shortest * 2 ** round) * (0.5 + Math.random() / 2);

/** Whether a member that was not acquired in one round may be acquired in the next: it is busy, or unavailable now. */
export const mayComeLater = (error: unknown): boolean => error instanceof LockTimeoutError || isPassing(error);
