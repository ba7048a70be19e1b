import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { noReply, unavailable } from './replies.js';

/**
 * The answer to a command, or `LockUnavailableError` when there is none by `deadline`. What comes later is dropped: a
 * late reply is never taken for a success.
 */
export const inTime = <T>(
  command: Promise<T>,
  deadline: number,
  scheduler: SteadyScheduler,
  name?: string,
): Promise<T> => {
  const patience = deadline - scheduler.now();
  return new Promise((resolve, reject) => {
    const tooLate = (): void => reject(noReply(name, patience));
    const timer = scheduler.schedule(patience, tooLate, { keepAlive: true });
    command.then(
      (reply) => {
        timer.cancel();
        // A blocked event loop can hand over the reply before the timer that was due long ago.
        if (scheduler.now() > deadline) tooLate();
        else resolve(reply);
      },
      (error: unknown) => {
        timer.cancel();
        reject(unavailable(name, error));
      },
    );
  });
};
