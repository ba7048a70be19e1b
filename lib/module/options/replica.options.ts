import { parseOptions, invalidOption } from '../../validation/options.js';
import { type Duration, parseDuration } from '../../time/duration.js';

/** How many replicas must confirm a lock, a permit or a changed number before it counts. */
export interface ReplicaOptions {
  /** 1 … 100. */
  readonly min: number;
  /** Longest time for each confirmation, in ms or such as `'1s'`. Default: 1 s; 1 ms … 30 s. */
  readonly timeout?: Duration | undefined;
}

/** The same options, validated and complete; ms. */
export interface ReplicaSettings {
  readonly min: number;
  readonly timeout: number;
}

const MOST_REPLICAS = 100;

/** @throws LockOptionsError that names option and value. */
export const parseReplicas = (value: unknown): ReplicaSettings | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) {
    throw invalidOption('replicas', value, 'an object such as { min: 1, timeout: "1s" }');
  }
  const { min, timeout = 1000 } = parseOptions(value, ['min', 'timeout'], { of: 'replicas' });
  if (typeof min !== 'number' || !Number.isInteger(min) || min < 1 || min > MOST_REPLICAS) {
    throw invalidOption('replicas.min', min, `a whole number from 1 to ${MOST_REPLICAS}`);
  }
  return { min, timeout: parseDuration(timeout, 'replicas.timeout', { min: 1, max: 30_000 }) };
};
