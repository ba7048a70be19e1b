import { onAbort } from './abort-listeners.js';
import type { MonotonicScheduler } from './scheduler.js';

/** Resolves after `ms`, or as soon as the signal is aborted. The pause alone does not keep the process alive. */
export const abortablePause = (scheduler: MonotonicScheduler, ms: number, signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      stopListening();
      resolve();
    };
    const timer = scheduler.schedule(ms, end);
    const stopListening = onAbort(signal, end);
  });
};
