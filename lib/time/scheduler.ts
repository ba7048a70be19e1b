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

class NextTurn implements ScheduledTask {
  constructor(private readonly immediate: NodeJS.Immediate) {}

  cancel(): void {
    clearImmediate(this.immediate);
  }
}

/** The clocks and timers of Node.js. A task of 0 ms runs when what has arrived at the sockets was read. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  schedule(ms, task, { keepAlive = false } = {}) {
    // Not a timer: several that are due after a blocked event loop run before the sockets are read.
    // Not unreferenced: the event loop would wait for the sockets first.
    if (ms <= 0) return new NextTurn(setImmediate(task));
    const timer = setTimeout(task, ms);
    if (!keepAlive) timer.unref();
    return new Timer(timer);
  },
};
