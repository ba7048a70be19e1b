import type { ScheduledTask } from './scheduler.js';
import type { SteadyScheduler } from './steady-scheduler.js';

/** How much later than its deadline somebody may be told, ms, where many deadlines lie close together. */
const GRAIN_MS = 5;

/** Something that is to be over at an instant, and mostly is long before. */
interface Pending {
  readonly at: number;
  readonly onPassed: () => void;
}

/**
 * Deadlines that share one timer: of ten thousand commands in a second hardly one is late, and ten thousand timers would
 * cost more than the commands.
 */
export class Deadlines {
  private readonly pending = new Set<Pending>();
  private timer: ScheduledTask | undefined;
  private due = Number.POSITIVE_INFINITY;

  constructor(private readonly scheduler: SteadyScheduler) {}

  /**
   * Calls `onPassed` once `at`, an instant of the scheduler, has come.
   * @returns How to call that off.
   */
  add(at: number, onPassed: () => void): () => void {
    const deadline = { at, onPassed };
    this.pending.add(deadline);
    if (at < this.due) this.arm(at);
    return () => {
      this.pending.delete(deadline);
    };
  }

  /** Whether it fires although nothing is pending any more does not matter: it keeps no process alive. */
  private arm(at: number): void {
    this.timer?.cancel();
    this.due = at;
    this.timer = this.scheduler.schedule(Math.max(0, at - this.scheduler.now()), () => this.look());
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
    if (next < this.due) this.arm(Math.max(next, now + GRAIN_MS));
  }
}
