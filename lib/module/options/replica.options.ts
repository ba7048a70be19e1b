import { invalidOption, namesOf, parseOptions } from '../../validation/options.js';
import { type Duration, parseDuration } from '../../time/duration.js';

/** How many replicas must confirm a lock, a permit or a changed number before it counts. */
export interface ReplicaOptions {
  /** 1 … 100. */
  readonly min: number;
  /**
   * Longest time for each confirmation, in ms or such as `'1s'`; 1 ms … 30 s. Default: 1 s, and 3 s with `aof`, since
   * replicas write to disk and report that once a second.
   */
  readonly timeout?: Duration | undefined;
  /**
   * Whether the master and the replicas must also have written it to their append-only files on disk (`WAITAOF`), which
   * a restart of all of them survives. Needs Redis 7.2 or Valkey, and `appendonly yes` on all of them. Each acquisition
   * takes about a second, because replicas report what is on disk once a second. Default: false (`WAIT`).
   */
  readonly aof?: boolean | undefined;
}

/** The same options, validated and complete; ms. */
export interface ReplicaSettings {
  readonly min: number;
  readonly timeout: number;
  readonly aof: boolean;
}

const OPTIONS = namesOf<ReplicaOptions>()('min', 'timeout', 'aof');
const MOST_REPLICAS = 100;

const TIMEOUT = 1000;
/** A replica writes to disk within a second, with `appendfsync everysec`, and reports that within another. */
const AOF_TIMEOUT = 3000;

/** @throws LockOptionsError that names option and value. */
export const parseReplicas = (value: unknown): ReplicaSettings | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw invalidOption('replicas', value, 'an object such as { min: 1, timeout: "1s" }');
  }
  const { min, timeout, aof = false } = parseOptions(value, OPTIONS, { of: 'replicas' });
  if (typeof min !== 'number' || !Number.isInteger(min) || min < 1 || min > MOST_REPLICAS) {
    throw invalidOption('replicas.min', min, `a whole number from 1 to ${MOST_REPLICAS}`);
  }
  if (typeof aof !== 'boolean') throw invalidOption('replicas.aof', aof, 'true or false');
  const limit = timeout ?? (aof ? AOF_TIMEOUT : TIMEOUT);
  return { min, aof, timeout: parseDuration(limit, 'replicas.timeout', { min: 1, max: 30_000 }) };
};
