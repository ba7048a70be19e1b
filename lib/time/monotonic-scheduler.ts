import { runInBackground } from './background.js';
import { DeadlineTimer } from './deadline-timer.js';
import type { ScheduledTask, Scheduler } from './scheduler.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/**
 * Subtracting fractions of milliseconds may leave a rest too small to advance a manual clock: a loop that waits for
 * such a rest would never end.
 */
const SHORTEST_DELAY_MS = 0.001;

/**
 * Wraps a custom scheduler, so that the rest of the library can rely on four things: `now()` never goes back, a task
 * runs at most once and never after it was cancelled, no error escapes from a timer, and a task runs in the background,
 * not in the async context that scheduled it.
 */
export class MonotonicScheduler {
  /** For deadlines of work that usually ends long before. */
  readonly deadlines = new DeadlineTimer(this);
  private seen = Number.NEGATIVE_INFINITY;
  /** Total time by which the clock was set back. Added to all readings, so deadlines do not wait for the clock. */
  private setBack = 0;

  constructor(
    private readonly inner: Scheduler,
    private readonly onTaskError: (error: unknown) => void,
  ) {}

  now(): number {
    const now = this.inner.now();
    if (now < this.seen) this.setBack += this.seen - now;
    this.seen = now;
    return now + this.setBack;
  }

  wallNow(): number | undefined {
    return this.inner.wallNow?.();
  }

  /** Resolves after `ms`. */
  pause(ms: number, options?: { readonly keepAlive?: boolean }): Promise<void> {
    return new Promise((resolve) => void this.schedule(ms, resolve, options));
  }

  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }): ScheduledTask {
    const delay = Math.min(ms > 0 ? Math.max(SHORTEST_DELAY_MS, ms) : 0, LONGEST_TIMER_MS);
    const once = new OnceTask(this, task, this.now() + delay, this.setBack);
    once.scheduled = runInBackground(() => this.inner.schedule(delay, () => once.run(), options));
    return once;
  }

  /** Runs a task whose timer, due at `due`, was set when the clock had been set back by `setBackBefore`. */
  run(task: () => void, due: number, setBackBefore: number): void {
    this.makeUp(due, setBackBefore);
    try {
      task();
    } catch (error) {
      this.onTaskError(error);
    }
  }

  /** Time before a set-back may have passed without a reading. A timer due at `due` shows how much is missing. */
  private makeUp(due: number, setBackBefore: number): void {
    const missing = due - this.now();
    if (this.setBack > setBackBefore && missing > 0) this.setBack += missing;
  }
}

/** A task that runs at most once, and never after it was cancelled. There may be thousands: hence a single object. */
class OnceTask implements ScheduledTask {
  scheduled: ScheduledTask | undefined = undefined;
  private isPending = true;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly task: () => void,
    private readonly due: number,
    private readonly setBack: number,
  ) {}

  run(): void {
    if (!this.isPending) return;
    this.isPending = false;
    this.scheduler.run(this.task, this.due, this.setBack);
  }

  cancel(): void {
    if (!this.isPending) return;
    this.isPending = false;
    this.scheduled?.cancel();
  }
}

/**
 * Time since an instant by the client's clocks: the larger of the monotonic and the wall-clock time. A suspended
 * machine stops the monotonic clock, so that clock alone would keep a lease alive that the server has long ended; a
 * wall clock that is set forward can only make a holder give up too early.
 */
export class Stopwatch {
  /** The start, on the scheduler's monotonic clock. */
  readonly startedAt: number;
  /** The start on the wall clock; `undefined`: the scheduler has none. */
  readonly wallStartedAt: number | undefined;

  /** @param ago Milliseconds that have passed since the start. Default: starts now. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    ago = 0,
  ) {
    const wall = scheduler.wallNow();
    this.startedAt = scheduler.now() - ago;
    this.wallStartedAt = wall === undefined ? undefined : wall - ago;
  }

  /** By the monotonic clock alone: for what has to last at least so long, also if the wall clock is set forward. */
  get leastElapsed(): number {
    return this.scheduler.now() - this.startedAt;
  }

  get elapsed(): number {
    const { leastElapsed, wallStartedAt } = this;
    const wall = this.scheduler.wallNow();
    return wallStartedAt === undefined || wall === undefined
      ? leastElapsed
      : Math.max(leastElapsed, wall - wallStartedAt);
  }
}
