import { MOST_PERMITS } from '../backend/kinds/counters/counters.js';
import { isPermitId, type PermitId, type PermitIds } from '../context/permit-ids.js';
import { type CountRange, invalidOption, namesOf, parseCount, parseFlag, parseOptions } from '../validation/options.js';
import type { Duration } from '../time/duration.js';
import type { MonotonicScheduler } from '../time/scheduler.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { WantedPermits } from '../waiting/permit-attempts.js';
import { firstLease, parseLeaseTerms, termsOf, WAIT_OPTIONS, type WaitOptions } from '../waiting/acquire.options.js';
import { parseRequest } from '../locks/options/lock.options.js';

/** Permits that a semaphore may have, and by how much their number may change at once. */
export const PERMITS: CountRange = { min: 0, max: MOST_PERMITS };
export const DELTA: CountRange = { min: -MOST_PERMITS, max: MOST_PERMITS };

/** Options for acquiring permits with ids. A permit has a lease, is renewed, or is held until its release. */
export interface PermitOptions extends WaitOptions {
  /**
   * Time after which a permit returns to the pool by itself, in ms or such as `'30s'`; 10 … 2^31 − 1 ms. Absent: it is
   * held until it is released, even if the process dies, unless it is renewed.
   */
  readonly lease?: Duration | undefined;
  /**
   * `true`: the watchdog renews the permit until it is released or lost, `updateLeaseTime` gives it a lease of its own, or
   * `maxHold` is reached; if the process dies, it is back in the pool within `lease`, by default `renewedLease`. In
   * Redis it has a lease as Redisson writes it. A loss is an event (`lost`). Default: false.
   */
  readonly renew?: boolean | undefined;
}

const PERMIT_OPTIONS = namesOf<PermitOptions>()('lease', 'renew', ...WAIT_OPTIONS);

/** Permits that a call wants, and how it wants them. */
interface PermitWish {
  readonly wanted: WantedPermits;
  readonly limit: WaitLimit;
  /** Whether the watchdog renews the permits. */
  readonly isRenewed: boolean;
}

/** Limit of permits per command: each costs the server some microseconds. */
const MOST_AT_ONCE = 10_000;

/**
 * @param defaultWait Default wait limit, ms.
 * @param renewedLease The default lease of permits that are renewed, ms.
 * @throws LockOptionsError that names option and value.
 */
export const parseWanted = (
  permits: unknown,
  options: PermitOptions | undefined,
  defaultWait: number,
  scheduler: MonotonicScheduler,
  renewedLease: number,
): PermitWish => {
  const count = parseCount(permits, 'permits', { min: 1, max: MOST_AT_ONCE });
  const { lease, renew, ...waiting } = parseOptions(options, PERMIT_OPTIONS, { of: 'permits' });
  const isRenewed = parseFlag(renew, 'renew');
  const terms = parseLeaseTerms({ lease, renew: isRenewed || undefined });
  const { limit } = termsOf(parseRequest(waiting, defaultWait), scheduler);
  const granted = firstLease(terms, isRenewed ? renewedLease : Number.POSITIVE_INFINITY);
  return { wanted: { permits: count, lease: granted }, limit, isRenewed };
};

/**
 * @param permit A permit, or its id.
 * @throws LockOptionsError that names the value.
 */
export const parsePermitId = (permit: unknown): PermitId => {
  const id = typeof permit === 'object' && permit !== null && 'id' in permit ? permit.id : permit;
  if (isPermitId(id)) return id;
  throw invalidOption('a permit', permit, 'a permit, or its id of 32 hexadecimal digits in lower case');
};

/** @throws LockOptionsError that names the value. */
export const parsePermitIds = (permits: readonly unknown[]): PermitIds => {
  // `Array.from` also visits the holes of a sparse list.
  const [first, ...more] = Array.from(permits.slice(0, MOST_AT_ONCE + 1), parsePermitId);
  if (first === undefined || more.length >= MOST_AT_ONCE)
    throw invalidOption('permits', permits, `1 to ${MOST_AT_ONCE} ids`);
  const ids: PermitIds = [first, ...more];
  if (new Set(ids).size < ids.length) throw invalidOption('permits', permits, 'permits that are all different');
  return ids;
};
