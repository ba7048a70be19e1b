import { LockConflictError, LockTimeoutError } from '../../errors.js';
import { type Duration, parseLease } from '../../time/duration.js';
import { contradiction, invalidOption, namesOf } from '../../validation/options.js';
import type { Given } from '../../validation/refused.js';
import type { LeaseTerms } from '../../waiting/acquire.options.js';

/** Describes a call that did not get its lock. */
export interface ConflictContext {
  /** The reason: the single attempt failed, or the wait limit passed. */
  readonly error: LockConflictError | LockTimeoutError;
  /** The arguments of the locked method; empty for `lockHandler` and `withLock`. */
  readonly args: readonly unknown[];
}

/** Returns the result of a call that did not get its lock. */
export type ConflictHandler<R = unknown> = (context: ConflictContext) => R | PromiseLike<R>;

/** What a call does that does not get its lock. */
export type OnConflict = 'throw' | 'skip' | ConflictHandler;

/** How work runs under a lock, beside how the lock is acquired. */
export interface WithLockOptions<C extends OnConflict = OnConflict> {
  /**
   * Minimum time for which other owners do not get the lock, counted from acquisition, in ms or such as `'50s'`, even if
   * the work ends sooner. For jobs that are to run once among many replicas whose clocks differ. Default: 0.
   */
  readonly holdAtLeast?: Duration | undefined;
  /**
   * Result of a call that does not get the lock within `wait`: `throw` the error (default), `skip` the work and return
   * `undefined`, or the result of a function. With `skip` or a function, `wait` defaults to 0, because a call that may be
   * skipped is not worth waiting for.
   */
  readonly onConflict?: C | undefined;
}

type Otherwise<C> = C extends 'throw' | undefined
  ? never
  : C extends 'skip'
    ? undefined
    : C extends (...args: never) => infer R
      ? Awaited<R>
      : unknown;

/** The result of a call with the options `O` that does not get its lock. */
export type InsteadOf<O> = O extends unknown ? Otherwise<Given<O, 'onConflict'>> : never;

/** {@link WithLockOptions}, parsed and validated. */
export interface WithLockPlan {
  /** Milliseconds. */
  readonly holdAtLeast: number | undefined;
  readonly onConflict: OnConflict;
}

/** The option names. */
export const WITH_LOCK_OPTIONS = namesOf<WithLockOptions>()('holdAtLeast', 'onConflict');

const isOnConflict = (value: unknown): value is OnConflict =>
  value === 'throw' || value === 'skip' || typeof value === 'function';

/**
 * @param given The caller's options, unchecked.
 * @param lease Of the same call.
 * @throws LockOptionsError that names option and value, or two options that contradict each other.
 */
export const parseWithLock = (
  given: Partial<Record<keyof WithLockOptions, unknown>>,
  lease: LeaseTerms,
): WithLockPlan => {
  const { onConflict = 'throw' } = given;
  if (!isOnConflict(onConflict)) throw invalidOption('onConflict', onConflict, '"throw", "skip" or a function');
  const holdAtLeast = given.holdAtLeast === undefined ? undefined : parseLease(given.holdAtLeast, 'holdAtLeast');
  const [limit, longest] = typeof lease === 'number' ? ['lease', lease] : ['maxHold', lease?.maxHold];
  if (holdAtLeast !== undefined && longest !== undefined && holdAtLeast > longest) {
    throw contradiction('holdAtLeast', limit, `a lock is not held for longer than its ${limit}`);
  }
  return { holdAtLeast, onConflict };
};

/** Milliseconds to wait if the call says nothing: a call that may be skipped does not wait. */
export const defaultWaitOf = ({ onConflict }: Pick<WithLockPlan, 'onConflict'>, defaultWait: number): number =>
  onConflict === 'throw' ? defaultWait : 0;

/**
 * The result of a call that could not acquire its lock.
 * @throws the error, if it is no conflict or nothing else is to be returned.
 */
export const resultOfConflict = async (
  { onConflict }: Pick<WithLockPlan, 'onConflict'>,
  error: unknown,
  args: readonly unknown[],
): Promise<unknown> => {
  const isConflict = error instanceof LockConflictError || error instanceof LockTimeoutError;
  if (!isConflict || onConflict === 'throw') throw error;
  return onConflict === 'skip' ? undefined : onConflict({ error, args });
};
