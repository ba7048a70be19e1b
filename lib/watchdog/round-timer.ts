import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { ScheduledTask } from '../time/scheduler.js';

/** The timer of the next round of the watchdog. */
export class RoundTimer {
  private timer: ScheduledTask | undefined;
  /** The time for which the next round is planned, by the scheduler; past if holds are overdue already. */
  private due = 0;
  private lateBy = 0;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onRound: () => void,
  ) {}

  /** Milliseconds by which the last round was late, or the next one is late already, whichever is more. */
  get lag(): number {
    const overdue = this.timer ? this.scheduler.now() - this.due : 0;
    return Math.max(this.lateBy, overdue, 0);
  }

  /** Plans a round in `pause` ms. Keeps a timer that fires sooner: locks come and go faster than timers. */
  arm(pause: number, now: number): void {
    const due = now + pause;
    if (this.timer && this.due <= due) return;
    this.timer?.cancel();
    this.due = due;
    this.timer = this.scheduler.schedule(pause, () => this.fire());
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private fire(): void {
    this.timer = undefined;
    this.lateBy = this.scheduler.now() - this.due;
    this.onRound();
  }
}
