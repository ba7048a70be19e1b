import { LinkedList, ListNode } from '../linked-list.js';
import { runInBackground } from './background.js';

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

/** A deadline, by the scheduler, of something that usually ends long before it. */
export abstract class Deadline extends ListNode<Deadline> {
  /** Time of the scheduler. */
  abstract readonly at: number;

  /**
   * Called once, at that time or a little later, unless the deadline was deleted before. An event loop that was blocked
   * reads what has arrived at the sockets first: what came in time counts, however late it is read.
   */
  abstract onPassed(): void;
}

/**
 * How late a deadline may be reported, ms, if many lie close together; and the number of pending deadlines that add one
 * more millisecond.
 */
const GRAIN_MS = 5;
const MANY = 1000;
/** A timer set for this time or less, ms, is kept when nothing is pending: commands come and go faster than timers. */
const KEPT_MS = 2000;
/** A timer overdue by more than this, ms, may never fire. */
const LOST_AFTER_MS = 100;

/**
 * Deadlines that share one timer. Of ten thousand commands per second hardly one is late, of ten thousand waiters
 * hardly one gives up, and ten thousand timers would cost more than all that work.
 */
export class DeadlineTimer {
  private readonly pending = new LinkedList<Deadline>();
  private timer: ScheduledTask | undefined;
  private due = Number.POSITIVE_INFINITY;
  /** When deadlines were found to have passed. The sockets are read before the next look reports those. */
  private foundAt = Number.NEGATIVE_INFINITY;
  /** Whether the timer was set for a short time. */
  private isShort = false;

  /** @param scheduler Runs tasks in the background: the timer is shared. */
  constructor(private readonly scheduler: Pick<Scheduler, 'now' | 'schedule'>) {}

  /** On the hot path, see docs/architecture.md#hot-path: hence `now`, so that the clock is read only once. */
  add(deadline: Deadline, now = this.scheduler.now()): void {
    this.pending.append(deadline);
    // Do not wait for a timer that is this late: the deadlines it was set for have passed, too.
    if (this.due + LOST_AFTER_MS < now) this.arm(now, now);
    else if (deadline.at < this.due) this.arm(deadline.at, now);
  }

  /** Returns whether it was pending. */
  delete(deadline: Deadline): boolean {
    const wasPending = this.pending.delete(deadline);
    if (wasPending && this.pending.size === 0 && !this.isShort) this.stop();
    return wasPending;
  }

  /** Cancels the timer. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.due = Number.POSITIVE_INFINITY;
    this.foundAt = Number.NEGATIVE_INFINITY;
  }

  private arm(at: number, now: number): void {
    this.timer?.cancel();
    this.due = at;
    const pause = Math.max(0, at - now);
    this.isShort = pause <= KEPT_MS;
    this.timer = this.scheduler.schedule(pause, () => this.look());
  }

  private look(): void {
    this.timer = undefined;
    this.due = Number.POSITIVE_INFINITY;
    const now = this.scheduler.now();
    const { foundAt } = this;
    let next = Number.POSITIVE_INFINITY;
    const passed: Deadline[] = [];
    for (const deadline of this.pending) {
      if (deadline.at > foundAt) next = Math.min(next, deadline.at);
      else passed.push(deadline);
    }
    for (const deadline of passed) this.pending.delete(deadline);
    const hasFound = next <= now;
    this.foundAt = hasFound ? now : Number.NEGATIVE_INFINITY;
    // Before the callbacks, which may add deadlines or throw.
    if (hasFound) this.arm(now, now);
    else if (next < Number.POSITIVE_INFINITY) this.arm(Math.max(next, now + GRAIN_MS + this.pending.size / MANY), now);
    for (const deadline of passed) deadline.onPassed();
  }
}

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
