/** A task that was handed to a scheduler and may still be called off. */
export interface ScheduledTask {
  cancel(): void;
}

/**
 * The clock everything runs on: leases, waits, renewals, command deadlines. Replace it through
 * {@link WATCHDOG_SCHEDULER} to run logic on a clock that moves when told to.
 */
export interface Scheduler {
  /** Milliseconds on a clock that moves forward only; the origin does not matter. */
  now(): number;
  /**
   * Milliseconds on the wall clock. Consulted only to notice time that the monotonic clock did not count, such as a
   * suspended machine: a lease is over when either clock says so. Absent: not consulted.
   */
  wallNow?(): number;
  /** Runs `task` once, `ms` from now. With `keepAlive` the process does not exit while the task is pending. */
  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }): ScheduledTask;
}

/** Injection token of the module's {@link Scheduler}. */
export const WATCHDOG_SCHEDULER = Symbol('WATCHDOG_SCHEDULER');

/** The process's own clocks and timers. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  schedule(ms, task, { keepAlive = false } = {}) {
    const timer = setTimeout(task, ms);
    if (!keepAlive) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
