import { currentRegion, runInRegion, OwnerContext } from '../context/owner-context.js';
import type { Hold } from './hold.js';

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/**
 * Runs `fn` in a region of its own under the hold, which closes with `fn` or with the promise that `fn` returns.
 * @throws LockLostError when nothing is held any more.
 */
export const runUnder = <T>(hold: Hold, fn: () => T): T => {
  hold.assertHeld();
  const region = new OwnerContext(hold, currentRegion());
  let result: T;
  let goesOn: boolean;
  try {
    result = runInRegion(region, fn);
    // Within the try: what has a `then` may throw when it is looked at.
    goesOn = isThenable(result);
  } catch (error) {
    region.close();
    throw error;
  }
  if (!goesOn) {
    region.close();
    return result;
  }
  // The promise handed on is the one that closes the region, so that a rejection nobody handles stays visible.
  return Promise.resolve(result).finally(() => region.close()) as T;
};
