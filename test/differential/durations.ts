import fc from 'fast-check';

/** Times are compared in whole units: far longer than a run takes on the real server. */
export const UNIT = 20_000;

/** Leases that do not end while a run lasts. */
export const lease = fc.integer({ min: 3, max: 9 }).map((units) => units * UNIT);

/** What ends within its own step, so that both sides see it ended in the next. */
export const SHORT_MS = 8;

/** Long enough for {@link SHORT_MS} to be over on the real server, whose clock ticks in milliseconds. */
export const OVER_MS = SHORT_MS + 3;
