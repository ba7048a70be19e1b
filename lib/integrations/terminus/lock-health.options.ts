import { type Duration, MAX_DURATION, parseDuration } from '../../time/duration.js';
import { invalidOption, parseFlag, parseOptions } from '../../validation/options.js';

/** Options of a health check of locks. */
export interface LockHealthOptions {
  /** Names of the connections to check; `default` is the one without a name. Default: all. */
  readonly connections?: readonly string[] | undefined;
  /** How long a server may take to answer, in ms or such as `'500ms'`. Default: the module's `commandTimeout`. */
  readonly timeout?: Duration | undefined;
  /**
   * How late the watchdog may renew before locks count as degraded, in ms or such as `'5s'`. Default: a third of the
   * module's `watchdogTimeout`; holds are lost at two thirds.
   */
  readonly maxLag?: Duration | undefined;
  /** Whether degraded locks are reported as `down`, such as for an alert; not for a readiness probe. Default: false. */
  readonly degradedIsDown?: boolean | undefined;
}

/** The checked options, with `undefined` for what the module decides. */
export interface LockHealthTerms {
  readonly connections: readonly string[] | undefined;
  readonly timeout: number | undefined;
  readonly maxLag: number | undefined;
  readonly degradedIsDown: boolean;
}

const KNOWN = ['connections', 'timeout', 'maxLag', 'degradedIsDown'] as const;

/** @throws LockOptionsError that names option and value. */
export const parseHealthOptions = (options: unknown): LockHealthTerms => {
  const given = parseOptions(options, KNOWN, { of: 'isHealthy' });
  return {
    connections: parseNames(given.connections),
    timeout: parseMilliseconds(given.timeout, 'timeout'),
    maxLag: parseMilliseconds(given.maxLag, 'maxLag'),
    degradedIsDown: parseFlag(given.degradedIsDown, 'degradedIsDown'),
  };
};

const parseMilliseconds = (value: unknown, option: string): number | undefined =>
  value === undefined ? undefined : parseDuration(value, option, { min: 1, max: MAX_DURATION });

const parseNames = (names: unknown): readonly string[] | undefined => {
  if (names === undefined) return undefined;
  if (Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')) return names;
  throw invalidOption('connections', names, "a list of names, such as ['billing']");
};
