/**
 * The first lease of a waiter for a fair lock is stored in the deadline of its place, as a fraction of a millisecond below
 * one half; see `shared/fair/fair-places.lua`. So it ends with the place, and Redisson, which only adds whole numbers,
 * leaves it alone.
 */
const SHARES = 16_384;
/** First leases are multiples of this, ms, so that a double stores the deadline exactly. */
const UNIT = 8;
const LONGEST = SHARES / 2 - UNIT;

/**
 * The first lease of a waiter that wants `lease` ms: no longer than `longest`, and otherwise no shorter than the wanted
 * one. 0: too short to be given.
 */
export const firstLeaseWithin = (lease: number, longest: number): number => {
  const most = Math.floor(Math.min(longest, LONGEST) / UNIT) * UNIT;
  return lease < UNIT ? 0 : Math.min(Math.ceil(lease / UNIT) * UNIT, most);
};

/** The fraction of a deadline that stores a first lease of so many ms. */
export const fractionOf = (firstLease: number): number => firstLease / SHARES;

/** The first lease in a deadline of ours; 0: none. */
export const firstLeaseIn = (deadline: number): number => (deadline % 0.5) * SHARES;
