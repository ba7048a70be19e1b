import type { Lease } from './lease.js';

/** Shares of the watchdog's timeout: from one renewal to the next, and from sending one that failed to its retry. */
const PERIOD = 1 / 3;
const RETRY = 1 / 15;
/** If a hold has little left, the retry comes after this share of that, but not below this share of the timeout. */
const HASTE = 1 / 4;
const SHORTEST_RETRY = 1 / 150;
/** The share of the timeout by which a lease may fall short of what its hold needs; clock drift is less. */
const LACKING = 1 / 6;

/** The facts by which it is decided when a hold is renewed. */
interface Renewable {
  readonly lease: Pick<Lease, 'remaining'>;
  /** The lease that it needs from now on, ms. */
  readonly neededLease: number;
}

/** Milliseconds from one renewal of a hold to the next. */
export const renewalPeriod = (timeout: number): number => timeout * PERIOD;

/** A hold that ends within this time, ms, is not renewed any more. */
export const lastRenewalWithin = (timeout: number): number => timeout * (1 - PERIOD);

/** A lease that ends before the round after the next is not renewed, unless the last renewal failed. */
export const isWorthRenewing = ({ neededLease, lease }: Renewable, timeout: number): boolean =>
  neededLease > lastRenewalWithin(timeout) || neededLease - lease.remaining > timeout * LACKING;

/**
 * Milliseconds from sending a renewal that failed to its retry. One that failed late, such as behind a blocked event
 * loop, leaves less time than usual.
 */
export const retryPause = (holds: readonly Pick<Renewable, 'lease'>[], timeout: number): number => {
  const left = Math.min(...holds.map(({ lease }) => lease.remaining).filter((ms) => ms > 0));
  const pause = Math.min(timeout * RETRY, left * HASTE);
  return Math.max(timeout * SHORTEST_RETRY, pause) * (0.5 + Math.random());
};
