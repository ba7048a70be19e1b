import type { ScheduledTask } from '../../time/scheduler.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';

/** After a local hand-over, wait this long before asking Redis again, ms. */
const HAND_OVER_RUN_MS = 5;

/** The time during which a lock passes between waiters of this process, so that asking the server would be in vain. */
export class HandOverRun {
  private timer: ScheduledTask | undefined = undefined;

  /** @param contender Woken when the time is over. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly contender: { wake(): void },
  ) {}

  get isOn(): boolean {
    return this.timer !== undefined;
  }

  /** Begins the run, unless it has begun already. */
  begin(): void {
    const end = (): void => {
      this.stop();
      this.contender.wake();
    };
    this.timer ??= this.scheduler.schedule(HAND_OVER_RUN_MS, end, { keepAlive: true });
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}
