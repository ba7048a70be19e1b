import { setImmediate } from 'node:timers/promises';
import type { ScheduledTask, Scheduler } from '../time/scheduler.js';

/** Kept, because the fake timers of a test runner may replace it later. */
const nextTurn = setImmediate;

/** Resolves when the promises of what was started before have settled. */
export const settle = (): Promise<void> => nextTurn();

/** A clock whose tasks of 0 ms run without an advance, so that an application can be closed while the clock stands. */
export const promptClock = (clock: Scheduler): Scheduler => ({
  now: () => clock.now(),
  schedule: (ms, task, options) => (ms > 0 ? clock.schedule(ms, task, options) : inNextTurn(task)),
});

const inNextTurn = (task: () => void): ScheduledTask => {
  let isPending = true;
  void nextTurn().then(() => {
    if (isPending) task();
  });
  return {
    cancel: () => {
      isPending = false;
    },
  };
};
