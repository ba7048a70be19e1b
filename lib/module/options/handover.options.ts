import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { type Duration, parseDuration } from '../../time/duration.js';
import type { HandOverLimits } from '../../waiting/hand-over-attempts.js';

/** Limits for passing a lock between waiters of one process before it is released on the server. */
export interface HandoverOptions {
  /**
   * Most hand-overs in a run while another client waits, or may wait, 1 … 10,000. Default: 16, and as many more as there is
   * time for in twice the time that passing the lock on to another client takes.
   */
  readonly max?: number | undefined;
  /** Longest time since the server granted the lock, in ms or such as `'5ms'`. Default: 5 ms; 1 ms … 1 s. */
  readonly ms?: Duration | undefined;
}

const OPTIONS = namesOf<HandoverOptions>()('max', 'ms');
const DEFAULT: HandOverLimits = { max: undefined, ms: 5 };
const MOST = 10_000;

/** @throws LockOptionsError that names option and value. */
export const parseHandover = (value: unknown): HandOverLimits => {
  if (value === undefined) return DEFAULT;
  if (value === false) return { max: 0, ms: 0 };
  if (typeof value !== 'object' || value === null) {
    throw invalidOption('handover', value, 'false, or an object such as { max: 16, ms: 5 }');
  }
  const { max, ms = DEFAULT.ms } = parseOptions(value, OPTIONS, { of: 'handover' });
  if (max !== undefined && (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > MOST)) {
    throw invalidOption('handover.max', max, `a whole number from 1 to ${MOST}`);
  }
  return { max, ms: parseDuration(ms, 'handover.ms', { min: 1, max: 1000 }) };
};
