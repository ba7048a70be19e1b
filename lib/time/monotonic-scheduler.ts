import { DeadlineTimer } from './deadline-timer.js';
import type { ScheduledTask, Scheduler } from './scheduler.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/**
 * What is left over when fractions of milliseconds are subtracted is no time at all on a clock that moves when told to:
 * who waits for the rest again and again would wait at one instant for ever.
 */
const SHORTEST_DELAY_MS = 0.001;

/**
 * Wraps a scheduler that was handed in, so that the rest of the library may rely on three things: `now()` never goes
 * back, a task runs at most once and never after it was cancelled, and nothing is thrown out of a timer.
 */
export class MonotonicScheduler {
  /** For what is mostly over long before it is due. */
  readonly deadlines = new DeadlineTimer(this);
  private seen = Number.NEGATIVE_INFINITY;
  /** What the clock was set back by, in all. Time goes on from there: a deadline waits for no clock to catch up. */
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

  /** Resolves `ms` from now. */
  pause(ms: number, options?: { readonly keepAlive?: boolean }): Promise<void> {
    return new Promise((resolve) => void this.schedule(ms, resolve, options));
  }

  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }): ScheduledTask {
    let pending = true;
    const delay = Math.min(ms > 0 ? Math.max(SHORTEST_DELAY_MS, ms) : 0, LONGEST_TIMER_MS);
    const { setBack } = this;
    const due = this.now() + delay;
    const once = (): void => {
      if (!pending) return;
      pending = false;
      this.makeUp(due, setBack);
      try {
        task();
      } catch (error) {
        this.onTaskError(error);
      }
    };
    const scheduled = this.inner.schedule(delay, once, options);
    return {
      cancel: () => {
        if (!pending) return;
        pending = false;
        scheduled.cancel();
      },
    };
  }

  /** What passed unseen before the clock was set back is missing; a timer that is due since `due` knows of it. */
  private makeUp(due: number, setBackBefore: number): void {
    const missing = due - this.now();
    if (this.setBack > setBackBefore && missing > 0) this.setBack += missing;
  }
}

/**
 * Time since an instant on the client's clocks: the larger of what the monotonic clock and the wall clock counted. A
 * suspended machine stops the first, so trusting it alone would keep a lease alive that the server has long ended; a
 * wall clock set forward can only make us give up too early.
 */
export class Stopwatch {
  /** The instant measured from, on the scheduler's monotonic clock. */
  readonly startedAt: number;
  private readonly wallStart: number | undefined;

  /** Starts now. */
  constructor(private readonly scheduler: MonotonicScheduler) {
    this.startedAt = scheduler.now();
    this.wallStart = scheduler.wallNow();
  }

  get elapsed(): number {
    const monotonic = this.scheduler.now() - this.startedAt;
    const wall = this.scheduler.wallNow();
    return this.wallStart === undefined || wall === undefined ? monotonic : Math.max(monotonic, wall - this.wallStart);
  }
}
