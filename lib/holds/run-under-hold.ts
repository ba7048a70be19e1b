import { currentContext, HoldContext, runInContext } from '../context/owner-context.js';
import { isThenable, runAndStart } from '../context/run-in-scope.js';
import type { Hold } from './hold.js';

/**
 * Runs `fn` in its own context under the hold, which closes with `fn` or with the promise that `fn` returns.
 * @throws LockLostError if the lock is no longer held.
 */
export const runUnderHold = <T>(hold: Hold, fn: () => T): T => {
  hold.assertHeld();
  const context = new HoldContext(hold, currentContext());
  let result: T;
  let goesOn: boolean;
  try {
    result = runInContext(context, () => runAndStart(fn));
    // Inside the try: a `then` getter may throw.
    goesOn = isThenable(result);
  } catch (error) {
    context.close();
    throw error;
  }
  if (!goesOn) {
    context.close();
    return result;
  }
  // Return the promise that closes the context, so that an unhandled rejection stays visible.
  return Promise.resolve(result).finally(() => context.close()) as T;
};
