import { isPassing } from '../errors.js';
import { refusal } from './wait-errors.js';
import { type AcquireContext } from './acquirer.js';

/** Between two questions where the server cannot be asked just now. */
const PAUSE_MS = 50;

/**
 * Asks again, where the server cannot be asked just now, as long as the caller waits.
 * @throws LockAbortedError where it does not any more, and what `ask` threw last.
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
      // A refusal comes at once.
      await limit.scheduler.pause(PAUSE_MS, { keepAlive: true });
    }
  }
};
