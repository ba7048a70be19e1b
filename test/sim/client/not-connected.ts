import { LockUnavailableError } from '../../../lib/errors.js';

/** The error of the library if nothing could be sent within `ms`. */
export const notConnected = (lockName: string | undefined, ms: number): LockUnavailableError =>
  new LockUnavailableError(`No connection to the simulated server within ${ms} ms`, 'not-sent', false, { lockName });
