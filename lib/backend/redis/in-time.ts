import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import { noReply, unavailable } from './replies.js';

export const asIs = <T>(reply: T): T => reply;

/**
 * The answer to a command, or `LockUnavailableError` when there is none by `deadline`. What comes later is dropped: a
 * late reply is never taken for a success.
 * @param read What the answer says. It throws where that cannot be understood.
 * @param instead How to go on after an error that is no answer yet; `undefined`: it is one.
 */
export const inTime = <Reply, T>(
  command: Promise<Reply>,
  deadline: number,
  scheduler: SteadyScheduler,
  name: string | undefined,
  read: (reply: Reply) => T,
  instead?: (error: unknown) => Promise<Reply> | undefined,
): Promise<T> => {
  const patience = deadline - scheduler.now();
  return new Promise((resolve, reject) => {
    const { deadlines } = scheduler;
    const late = { at: deadline, onPassed: () => reject(noReply(name, patience)) };
    deadlines.add(late);
    const answered = (reply: Reply): void => {
      deadlines.delete(late);
      // A blocked event loop can hand over the reply before the timer that was due long ago.
      if (scheduler.now() > deadline) return late.onPassed();
      try {
        resolve(read(reply));
      } catch (error) {
        reject(error);
      }
    };
    const failed = (error: unknown): void => {
      deadlines.delete(late);
      reject(unavailable(name, error));
    };
    command.then(answered, (error: unknown) => {
      const other = instead?.(error);
      if (other) other.then(answered, failed);
      else failed(error);
    });
  });
};
