import fc from 'fast-check';

/** The unit of leases. They are whole multiples of it, so that some of them end together. */
export const UNIT = 20_000;

/** Leases that outlast a run. */
export const lease = fc.integer({ min: 3, max: 9 }).map((units) => units * UNIT);

/** A lease that ends within its own step, so that it is over on both sides in the next. */
export const SHORT_MS = 8;

/**
 * The time after which {@link SHORT_MS} is over on both sides. A key of Redis lives through the millisecond in which
 * its time ends.
 */
export const OVER_MS = SHORT_MS + 1;
