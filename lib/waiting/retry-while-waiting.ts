import { isPassing } from '../errors.js';
import { refusal } from './wait-errors.js';
import { type AcquireContext } from './acquirer.js';

/** Pause between two requests while the server is unavailable, ms. */
const RETRY_PAUSE_MS = 50;

/**
 * Repeats a request while the server is unavailable, for as long as the caller waits.
 * @throws LockAbortedError if the wait was aborted; otherwise the last error of `ask`.
 */
export const retryWhileWaiting = async <T>(asked: AcquireContext, ask: () => Promise<T>): Promise<T> => {
  const { limit } = asked;
  for (;;) {
    const { ended } = limit;
    if (ended?.cause === 'aborted') throw refusal(asked, ended, undefined);
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || limit.ended) throw error;
      // An unavailable server may be reported immediately, so retrying without a pause would spin.
      await limit.scheduler.pause(RETRY_PAUSE_MS, { keepAlive: true });
    }
  }
};
