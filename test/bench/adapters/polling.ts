/** Between two attempts of a library that asks again and again, ms. */
export const POLL_MS = 2;

/** Enough attempts to last for `wait` ms, however fast they come back. */
export const attemptsFor = (wait: number): number => Math.max(1, Math.ceil(wait / POLL_MS));

/** How long a lock of a peer lasts, ms: longer than any run, so that nothing has to be extended. */
export const PEER_TTL_MS = 600_000;
