import type { Attempt } from '../history/history.js';

/** Attempts of living processes that never got an answer. */
export const stuckAttempts = (attempts: readonly Attempt[]): Attempt[] =>
  attempts.filter(({ granted, refused, until }) => !granted && !refused && until === Number.POSITIVE_INFINITY);

/** The longest time by which an answer came after the wait of the attempt was over, ms. */
export const longestOverrun = (attempts: readonly Attempt[]): number =>
  attempts.reduce((longest, { invoked, wait, granted, refused }) => {
    const answered = granted ?? refused?.at ?? invoked;
    return Math.max(longest, answered - invoked - wait);
  }, 0);

/** The longest time for which a lock was free although a client waited for it, ms. */
export const longestHandOver = (attempts: readonly Attempt[]): number => {
  const grants = attempts
    .filter((attempt) => attempt.granted !== undefined)
    .toSorted((a, b) => (a.granted ?? 0) - (b.granted ?? 0));
  let worst = 0;
  grants.forEach((next, index) => {
    const before = grants[index - 1];
    if (!before || next.granted === undefined) return;
    const free = Math.max(before.until, next.invoked);
    if (Number.isFinite(free)) worst = Math.max(worst, next.granted - free);
  });
  return worst;
};

/**
 * The shortest time from the signal of a loss to the end of the lease, ms. The lease is counted from the answer. On the
 * server it ends earlier, because a waiter sends its request long before the answer.
 */
export const leastLead = (attempts: readonly Attempt[]): number | undefined => {
  let least: number | undefined;
  for (const { granted, lease, lostAt } of attempts) {
    if (granted === undefined || lease === undefined || lostAt === undefined) continue;
    const lead = granted + lease - lostAt;
    least = least === undefined ? lead : Math.min(least, lead);
  }
  return least;
};
