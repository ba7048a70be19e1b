import { describe } from '../describe.js';
import { type LockConflictError, LockOptionsError, type LockTimeoutError } from '../errors.js';
import { type LockOptions, type LockRequest, readOptions } from '../primitives/lock.options.js';
import { parseLease, parseWait } from '../time/duration.js';

/** What happened when a locked method did not get its lock. */
export interface ConflictContext {
  /** Why: one try was allowed, or the wait was over. */
  readonly error: LockConflictError | LockTimeoutError;
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Answers a call that did not get its lock. */
export type ConflictHandler = (context: ConflictContext) => unknown;

/** How a method is locked. */
export interface LockedOptions extends Omit<LockOptions, 'signal'> {
  /**
   * What a call returns that does not get the lock: `throw` the error (default), `skip` the method and return
   * `undefined`, or whatever a function returns. With the last two `wait` defaults to 0, since a call that may be left
   * out is not worth waiting for.
   */
  readonly onConflict?: 'throw' | 'skip' | ConflictHandler | undefined;
  /**
   * What the method returns, where its declared type does not tell: `observable` gives an Observable that takes the
   * lock anew for each subscription and holds it until completion or unsubscription. Default: found out.
   */
  readonly returns?: 'promise' | 'observable' | undefined;
}

/** The options, read once and checked. */
export interface LockedPlan {
  readonly onConflict: 'throw' | 'skip' | ConflictHandler;
  readonly returns: 'promise' | 'observable' | undefined;
  /** @param defaultWait Milliseconds that the module waits by default. */
  request(defaultWait: number, signal?: AbortSignal): LockRequest;
}

const isConflictPolicy = (value: unknown): value is LockedPlan['onConflict'] =>
  value === 'throw' || value === 'skip' || typeof value === 'function';

/** @throws LockOptionsError naming option and value. */
export const planFor = (options: LockedOptions | undefined): LockedPlan => {
  const given = readOptions(options, ['lease', 'wait', 'onConflict', 'returns']);
  const { onConflict = 'throw', returns } = given;
  if (!isConflictPolicy(onConflict)) {
    throw new LockOptionsError(`onConflict must be "throw", "skip" or a function, not ${describe(onConflict)}`, {
      details: { option: 'onConflict', value: onConflict },
    });
  }
  if (returns !== undefined && returns !== 'promise' && returns !== 'observable') {
    throw new LockOptionsError(`returns must be "promise" or "observable", not ${describe(returns)}`, {
      details: { option: 'returns', value: returns },
    });
  }
  // Checked now, where the method is written; the default wait is known only when the module runs.
  const lease = given.lease === undefined ? undefined : parseLease(given.lease, 'lease');
  const wait = given.wait === undefined ? undefined : parseWait(given.wait, 'wait');
  return {
    onConflict,
    returns,
    request: (defaultWait, signal) => {
      const fallback = onConflict === 'throw' ? defaultWait : 0;
      return { lease, wait: wait ?? fallback, signal };
    },
  };
};
