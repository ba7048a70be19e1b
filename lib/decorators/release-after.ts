import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { refuseQuietly } from '../concurrency.js';
import type { LockEvents } from '../events/lock-events.js';
import type { CriticalSection } from '../reentrancy/critical-section.js';
import { runOutsideContexts } from '../context/owner-context.js';
import { invalidOption } from '../validation/options.js';

/** The call of a locked method, given to `releaseAfter` and `keptFor`. */
export interface ReleaseContext {
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Extends the hold beyond the end of the method: returns nothing, or a promise that ends later than the method. */
export interface ReleaseAfter {
  (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
  /**
   * The object that the lock is kept for, such as a transaction; called before the lock is acquired. Calls for the same
   * object are one owner: they re-enter the locks kept for it, one call at a time, instead of waiting for its end. If
   * this function throws, the call fails with that error.
   */
  readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

/**
 * The object that a call keeps its lock for.
 * @throws LockOptionsError for a promise: the object has to be known before the lock is acquired.
 */
export const beneficiaryOf = (
  releaseAfter: ReleaseAfter,
  args: readonly unknown[],
  method: string,
): object | undefined => {
  const found = releaseAfter.keptFor?.({ args });
  if (!types.isPromise(found)) return found;
  refuseQuietly(found);
  throw invalidOption(`the result of keptFor of ${method}`, found, 'an object or undefined, at once');
};

type Until = () => PromiseLike<unknown> | undefined | void;

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

/**
 * Delays `leave()` until the promise returned by `until` settles. The caller is not delayed: the transaction it waits
 * for may itself wait for the method. Must be called in the caller's async context.
 */
export const leaveAfter = (section: CriticalSection, until: Until, events: LockEvents): CriticalSection => {
  // An Observable or a stream may end in any async context.
  const caller = new AsyncResource('LockedCall');
  const ask = (): PromiseLike<unknown> | undefined | void => {
    try {
      return caller.runInAsyncScope(until);
    } catch (error) {
      events.emit({ type: 'unexpected', error });
    }
  };
  const leave = async (): Promise<void> => {
    const later = ask();
    if (!isPromiseLike(later)) return section.leave();
    // Success and failure both end it; the error is reported to its own caller.
    const kept = Promise.resolve(later).then(
      () => {},
      () => {},
    );
    void runOutsideContexts(() => section.leave(kept));
  };
  let leaving: Promise<void> | undefined;
  return { run: section.run, leave: () => (leaving ??= leave()) };
};
