import { AsyncResource } from 'node:async_hooks';
import type { ScheduledTask } from './scheduler.js';
import type { SteadyScheduler } from './steady-scheduler.js';

/** Something that is to be over at an instant of the scheduler, and mostly is long before. */
export interface Deadline {
  readonly at: number;
  /** Called once, at that instant or a little later, unless the deadline was deleted before. */
  onPassed(): void;
}

/**
 * How much later than its deadline somebody may be told, ms, where many deadlines lie close together; and for how many of
 * them it is a millisecond more.
 */
const GRAIN_MS = 5;
const MANY = 1000;

/**
 * Deadlines that share one timer: of ten thousand commands in a second hardly one is late, of ten thousand waiters hardly
 * one gives up, and ten thousand timers would cost more than all they do.
 */
export class Deadlines {
  private readonly pending = new Set<Deadline>();
  private timer: ScheduledTask | undefined;
  private due = Number.POSITIVE_INFINITY;
  /** The timer is everybody's, and so must not run in the context of whoever happened to need it first. */
  private readonly context = new AsyncResource('Deadlines');

  constructor(private readonly scheduler: SteadyScheduler) {}

  add(deadline: Deadline): void {
    this.pending.add(deadline);
    if (deadline.at < this.due) this.arm(deadline.at);
  }

  delete(deadline: Deadline): void {
    this.pending.delete(deadline);
    if (this.pending.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
    this.due = Number.POSITIVE_INFINITY;
  }

  private arm(at: number): void {
    this.timer?.cancel();
    this.due = at;
    this.timer = this.context.runInAsyncScope(() =>
      this.scheduler.schedule(Math.max(0, at - this.scheduler.now()), () => this.look()),
    );
  }

  private look(): void {
    this.timer = undefined;
    this.due = Number.POSITIVE_INFINITY;
    const now = this.scheduler.now();
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.pending) {
      if (deadline.at > now) {
        next = Math.min(next, deadline.at);
        continue;
      }
      this.pending.delete(deadline);
      deadline.onPassed();
    }
    // What was told may have added others.
    const grain = GRAIN_MS + this.pending.size / MANY;
    if (next < this.due) this.arm(Math.max(next, now + grain));
  }
}
