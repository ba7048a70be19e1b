import type { Scheduler } from '../time/scheduler.js';

/**
 * The timers and the date of the process, read at each call: the fake timers of jest and node:test replace them. `performance.now()` is not used, because those of node:test do not replace it.
 */
export const timersClock: Scheduler = {
  now: () => Date.now(),
  schedule(ms, task) {
    const timer = setTimeout(task, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};
