import { contradiction, invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { type Duration, MAX_DURATION, parseDuration } from '../../time/duration.js';

/** Renewals by a worker thread, see `renewIn`. */
export interface RenewInWorker {
  /**
   * How long the event loop may stand before the worker stops renewing, because the main thread hangs. Default: 1 minute, or
   * `renewedLease` if that is longer; not below `renewedLease`.
   */
  readonly worker: Duration;
}

/** The settings made of it. */
export interface RenewInSettings {
  /** How long the main thread may stand, ms. */
  readonly longest: number;
}

const OPTIONS = namesOf<RenewInWorker>()('worker');
const LONGEST = 60_000;

/**
 * @param driver The option of that name.
 * @throws LockOptionsError that names option and value.
 */
export const parseRenewIn = (value: unknown, renewedLease: number, driver: unknown): RenewInSettings | undefined => {
  if (value === undefined || value === 'main') return undefined;
  const isObject = typeof value === 'object' && value !== null;
  if (value !== 'worker' && !isObject) {
    throw invalidOption('renewIn', value, '"main", "worker", or an object such as { worker: "1m" }');
  }
  if (typeof driver === 'object') {
    throw contradiction('renewIn', 'driver', 'a driver of your own cannot be given to a worker thread');
  }
  if (!isObject) return { longest: Math.max(LONGEST, renewedLease) };
  const { worker } = parseOptions(value, OPTIONS, { of: 'renewIn' });
  return { longest: parseDuration(worker, 'renewIn.worker', { min: renewedLease, max: MAX_DURATION }) };
};
