/**
 * Between two attempts of a library that asks again and again, ms. Of 1, 2, 3, 6 and 10 ms, shorter ones made all of them
 * slower under contention, longer ones faster only because whoever had the lock got it again; a single waiter in another
 * process is told half a pause too late.
 */
export const POLL_MS = 5;

/** Enough attempts to last for `wait` ms, however fast they come back. */
export const attemptsFor = (wait: number): number => Math.max(1, Math.ceil(wait / POLL_MS));

/** How long a lock of a peer lasts, ms: longer than any run, so that nothing has to be extended. */
export const PEER_TTL_MS = 600_000;
