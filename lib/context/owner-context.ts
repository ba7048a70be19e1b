import { AsyncLocalStorage } from 'node:async_hooks';
import { OwnerContext } from './region.js';

/**
 * The library's only AsyncLocalStorage: each further one would be copied at every promise of the process. `enterWith`
 * is never used, because it leaks to whoever awaits the function that calls it.
 */
const regions = new AsyncLocalStorage<OwnerContext | undefined>();

/** The innermost region that is still open around the running code. */
export const currentRegion = (): OwnerContext | undefined => OwnerContext.innermostOpen(regions.getStore());

/** Aborts when the caller has gone for whom the running code works; absent where nobody could tell. */
export const currentCallerGone = (): AbortSignal | undefined => {
  for (const { callerGone } of currentRegion()?.outwards() ?? []) if (callerGone) return callerGone;
  return undefined;
};

/** Runs `fn` inside `region`. */
export const runInRegion = <T>(region: OwnerContext, fn: () => T): T => regions.run(region, fn);

/**
 * Runs `fn` as nobody. Whatever outlives a call – sockets, subscriptions, timers – starts here: born inside an owner's
 * region it would carry that owner for ever, and every later message would impersonate it.
 */
export const runOutsideRegions = <T>(fn: () => T): T => regions.run(undefined, fn);
