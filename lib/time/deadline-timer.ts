import { AsyncResource } from 'node:async_hooks';
import { ListNode, LinkedList } from '../collections/linked-list.js';
import type { ScheduledTask, Scheduler } from './scheduler.js';

/** Something that is to be over at an instant of the scheduler, and mostly is long before. */
export abstract class Deadline extends ListNode<Deadline> {
  /** @param at The instant. */
  constructor(readonly at: number) {
    super();
  }

  /** Called once, at that instant or a little later, unless the deadline was deleted before. */
  abstract onPassed(): void;
}

/**
 * How much later than its deadline somebody may be told, ms, where many deadlines lie close together; and for how many of
 * them it is a millisecond more.
 */
const GRAIN_MS = 5;
const MANY = 1000;
/** A timer that is due so soon, ms, stays when nothing is pending any more: commands come and go faster than timers do. */
const KEPT_MS = 2000;
/** A timer that should have fired so long ago, ms, may never fire. */
const LOST_AFTER_MS = 100;

/**
 * Deadlines that share one timer: of ten thousand commands in a second hardly one is late, of ten thousand waiters hardly
 * one gives up, and ten thousand timers would cost more than all they do.
 */
export class DeadlineTimer {
  private readonly pending = new LinkedList<Deadline>();
  private timer: ScheduledTask | undefined;
  private due = Number.POSITIVE_INFINITY;
  /** The timer is everybody's, and so must not run in the context of whoever happened to need it first. */
  private readonly context = new AsyncResource('Deadlines');

  constructor(private readonly scheduler: Pick<Scheduler, 'now' | 'schedule'>) {}

  add(deadline: Deadline): void {
    this.pending.append(deadline);
    const now = this.scheduler.now();
    // A timer that is as late as that is not waited for: what it was for has passed as well.
    if (this.due + LOST_AFTER_MS < now) this.arm(now);
    else if (deadline.at < this.due) this.arm(deadline.at);
  }

  delete(deadline: Deadline): void {
    if (this.pending.delete(deadline) && this.pending.size === 0 && this.due > this.scheduler.now() + KEPT_MS)
      this.stop();
  }

  /** Leaves no timer behind. */
  stop(): void {
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
    const passed: Deadline[] = [];
    for (const deadline of this.pending) {
      if (deadline.at > now) next = Math.min(next, deadline.at);
      else passed.push(deadline);
    }
    for (const deadline of passed) this.pending.delete(deadline);
    // Before anybody is told, who may add others, or throw.
    if (next < Number.POSITIVE_INFINITY) this.arm(Math.max(next, now + GRAIN_MS + this.pending.size / MANY));
    for (const deadline of passed) deadline.onPassed();
  }
}
