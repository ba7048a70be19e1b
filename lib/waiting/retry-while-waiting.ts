import { isPassing } from '../errors.js';
import { pauseUnanswered } from './wake-signal.js';
import { refusal } from './wait-errors.js';
import { type AcquireContext } from './acquirer.js';

/**
 * Repeats a request while the server is unavailable, for as long as the caller waits.
 * @throws LockAbortedError if the wait was aborted; otherwise the last error of `ask`.
 */
export const retryWhileWaiting = async <T>(asked: AcquireContext, ask: () => Promise<T>): Promise<T> => {
  const { limit } = asked;
  for (let unanswered = 1; ; unanswered++) {
    const { ended } = limit;
    if (ended?.cause === 'aborted') throw refusal(asked, ended, undefined);
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || limit.ended) throw error;
      // An unavailable server may be reported immediately, so retrying without a pause would spin.
      await limit.pause(pauseUnanswered(unanswered));
    }
  }
};
