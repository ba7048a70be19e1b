import { AsyncResource } from 'node:async_hooks';
import type { LockEvents } from '../events/lock-events.js';
import type { CriticalSection } from '../reentrancy/critical-section.js';
import { runOutsideRegions } from '../context/owner-context.js';

/** What is asked when a locked method is called, and when it has ended. */
export interface ReleaseContext {
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Says until when the lock is to be kept: nothing, or a promise of what ends later than the method. */
export interface ReleaseAfter {
  (context: ReleaseContext): PromiseLike<unknown> | undefined | void;
  /**
   * What the lock is kept for, such as a transaction; asked before it is taken. Calls for the same object are one owner:
   * they re-enter what is kept for it, one at a time, instead of waiting for its end. What this throws, the call fails with.
   */
  readonly keptFor?: ((context: ReleaseContext) => object | undefined) | undefined;
}

type Until = () => PromiseLike<unknown> | undefined | void;

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

/**
 * The same guard, which keeps what it holds until that has ended what `until` says. Nobody waits for it: what it waits for
 * may well wait for the method. To be made where the method was called.
 */
export const leaveAfter = (guard: CriticalSection, until: Until, events: LockEvents): CriticalSection => {
  // What ends an Observable or a stream comes from anywhere.
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
    if (!isPromiseLike(later)) return guard.leave();
    // However it ends, it has ended; whoever began it learns of errors.
    const kept = Promise.resolve(later).then(
      () => {},
      () => {},
    );
    void runOutsideRegions(() => guard.leave(kept));
  };
  let leaving: Promise<void> | undefined;
  return { run: guard.run, leave: () => (leaving ??= leave()) };
};
