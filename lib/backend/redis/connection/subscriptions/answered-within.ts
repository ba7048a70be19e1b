import type { MonotonicScheduler } from '../../../../time/monotonic-scheduler.js';
import { noReply, unavailable } from '../reply-errors.js';

/**
 * Resolves when a command is answered, and rejects with `LockUnavailableError` if it fails or takes longer than `ms`. An
 * event loop that was blocked learns that the time is over before it reads a reply that came long ago; therefore there
 * are two timers, and it reads in between.
 */
export const answeredWithin = (command: Promise<unknown>, ms: number, scheduler: MonotonicScheduler): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(noReply(undefined, ms));
    let timer = scheduler.schedule(ms / 2, () => {
      timer = scheduler.schedule(ms / 2, giveUp);
    });
    command.then(
      () => {
        timer.cancel();
        resolve();
      },
      (error: unknown) => {
        timer.cancel();
        reject(unavailable(undefined, error));
      },
    );
  });
