import { LinkedList, ListNode } from '../linked-list.js';
import type { ScheduledTask, Scheduler } from './scheduler.js';

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
