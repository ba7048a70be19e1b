import type { ScheduledTask, Scheduler } from './scheduler.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Wraps a scheduler that was handed in, so that the rest of the library may rely on three things: `now()` never goes
 * back, a task runs at most once and never after it was cancelled, and nothing is thrown out of a timer.
 */
export class SteadyScheduler {
  private latest = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly inner: Scheduler,
    private readonly onTaskError: (error: unknown) => void,
  ) {}

  now(): number {
    const now = this.inner.now();
    if (now > this.latest) this.latest = now;
    return this.latest;
  }

  wallNow(): number | undefined {
    return this.inner.wallNow?.();
  }

  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }): ScheduledTask {
    let pending = true;
    const once = (): void => {
      if (!pending) return;
      pending = false;
      try {
        task();
      } catch (error) {
        this.onTaskError(error);
      }
    };
    const scheduled = this.inner.schedule(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), once, options);
    return {
      cancel: () => {
        if (!pending) return;
        pending = false;
        scheduled.cancel();
      },
    };
  }
}
