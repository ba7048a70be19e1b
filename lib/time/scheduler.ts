/** A scheduled task, which can be cancelled. */
export interface ScheduledTask {
  cancel(): void;
}

/**
 * The clock and timers of everything in this library: leases, waits, renewals, command deadlines. Replace it through
 * {@link WATCHDOG_SCHEDULER} to test with a manual clock.
 */
export interface Scheduler {
  /** Milliseconds on a clock that never goes back; the origin does not matter. */
  now(): number;
  /**
   * Milliseconds on the wall clock. Used only to detect time that the monotonic clock did not count, such as while the
   * machine was suspended: a lease ends when either clock says so. Absent: not used.
   */
  wallNow?(): number;
  /** Runs `task` once, after `ms`. With `keepAlive` the process does not exit while the task is pending. */
  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }): ScheduledTask;
}

/** Injection token of the module's {@link Scheduler}. */
export const WATCHDOG_SCHEDULER = Symbol('WATCHDOG_SCHEDULER');

/** There may be thousands, each without a closure of its own. */
class Timer implements ScheduledTask {
  constructor(private readonly timer: NodeJS.Timeout) {}

  cancel(): void {
    clearTimeout(this.timer);
  }
}

/** The clocks and timers of Node.js. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  schedule(ms, task, { keepAlive = false } = {}) {
    const timer = setTimeout(task, ms);
    if (!keepAlive) timer.unref();
    return new Timer(timer);
  },
};
