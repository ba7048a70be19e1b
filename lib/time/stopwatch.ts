import type { MonotonicScheduler } from './monotonic-scheduler.js';

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
