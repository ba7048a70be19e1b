/**
 * Milliseconds between two attempts of a library that polls. Of 1, 2, 3, 6 and 10 ms, the shorter pauses made every
 * library slower under contention. The longer ones made it faster only because the last holder got the lock again. A
 * single waiter in another process learns of a release half a pause too late.
 */
export const POLL_MS = 5;

/** Attempts that last for `wait` ms, even if each is answered at once. */
export const attemptsFor = (wait: number): number => Math.max(1, Math.ceil(wait / POLL_MS));

/** Lease of a peer's lock, ms: longer than any run, so that no lock has to be extended. */
export const PEER_TTL_MS = 600_000;
