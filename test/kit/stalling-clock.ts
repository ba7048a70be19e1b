import { ManualClock } from '../../lib/testing/manual-clock.js';
import type { ScheduledTask } from '../../lib/time/scheduler.js';

/** A manual clock whose process can stand still: its time goes on, and no task runs before the next advance. */
export class StallingClock extends ManualClock {
  /** The time at the end of the last stall. Until tasks have been run up to then, they run late. */
  private stalledUntil = 0;

  override now(): number {
    return Math.max(super.now(), this.stalledUntil);
  }

  stall(ms: number): void {
    this.stalledUntil = this.now() + ms;
  }

  override schedule(ms: number, task: () => void): ScheduledTask {
    return super.schedule(Math.max(0, ms) + this.now() - super.now(), task);
  }
}
