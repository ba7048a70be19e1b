import { AsyncResource } from 'node:async_hooks';

/** The async context in which the library was loaded: usually that of no request. */
const loaded = new AsyncResource('NestRedisLock');

/** A resource of its own for each run: `enterWith` of a listener would change a shared one for all later runs. */
const newRun = (): AsyncResource => new AsyncResource('NestRedisLock');

/**
 * Runs `fn` in the async context in which the library was loaded, whatever `AsyncLocalStorage` the caller is in.
 * Timers, sockets and all else that outlives a call starts here. Made in the context of a request it would keep the
 * stores of that request, and run listeners with them: the wrong user, trace or transaction.
 */
export const runInBackground = <T>(fn: () => T): T => loaded.runInAsyncScope(newRun).runInAsyncScope(fn);
