import { isPermitId, type PermitId, type PermitIds } from '../context/ids.js';
import { invalidOption } from '../validation/options.js';
import type { Duration } from '../time/duration.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { WantedPermits } from '../waiting/permit-attempts.js';
import { termsOf } from '../waiting/acquire.options.js';
import { parseLockOptions } from '../locks/lock.options.js';

/** What a number of things may be, both ends included. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

/**
 * A number of permits, or of things to count down.
 * @param option The word for it, for the message.
 * @throws LockOptionsError naming the value.
 */
export const parseCount = (value: unknown, option: string, { min, max }: CountRange): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalidOption(option, value, `a whole number from ${min} to ${max}`);
  }
  // Turns -0 into 0.
  return value + 0;
};

/** How to acquire permits that have ids and leases. */
export interface PermitOptions {
  /**
   * After this time a permit returns by itself, in ms or such as `'30s'`; 10 … 2^31 − 1 ms. Absent: it is out until it
   * is released, also when the process has died; no watchdog takes part.
   */
  readonly lease?: Duration | undefined;
  /** How long to wait; 0: one try; `Infinity`: without limit. Default: that of the module. */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. After the permits were acquired it has no effect. */
  readonly signal?: AbortSignal | undefined;
}

/** More permits than that are not taken or released at once: each costs the server some microseconds. */
const MOST_AT_ONCE = 10_000;

/**
 * @param defaultWait Milliseconds where the caller gave no wait.
 * @throws LockOptionsError naming option and value.
 */
export const parseWanted = (
  permits: unknown,
  options: PermitOptions | undefined,
  defaultWait: number,
  scheduler: MonotonicScheduler,
): { readonly wanted: WantedPermits; readonly limit: WaitLimit } => {
  const count = parseCount(permits, 'permits', { min: 1, max: MOST_AT_ONCE });
  const { lease = Number.POSITIVE_INFINITY, limit } = termsOf(parseLockOptions(options, defaultWait), scheduler);
  return { wanted: { permits: count, lease }, limit };
};

/**
 * @param permit A permit, or its id.
 * @throws LockOptionsError naming the value.
 */
export const parsePermitId = (permit: unknown): PermitId => {
  const id = typeof permit === 'object' && permit !== null && 'id' in permit ? permit.id : permit;
  if (isPermitId(id)) return id;
  throw invalidOption('a permit', permit, 'a permit, or its id of 32 hexadecimal digits in lower case');
};

/** @throws LockOptionsError naming the value. */
export const parsePermitIds = (permits: readonly unknown[]): PermitIds => {
  // Holes of a sparse list are values as well.
  const [first, ...more] = Array.from(permits.slice(0, MOST_AT_ONCE + 1), parsePermitId);
  if (first === undefined || more.length >= MOST_AT_ONCE)
    throw invalidOption('permits', permits, `1 to ${MOST_AT_ONCE} ids`);
  const ids: PermitIds = [first, ...more];
  if (new Set(ids).size < ids.length) throw invalidOption('permits', permits, 'permits that are all different');
  return ids;
};
