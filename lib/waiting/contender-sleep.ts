import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** Ends a sleep early. A call that comes while nobody sleeps is remembered, so that no message falls into a gap. */
export class WakeSignal {
  private pending = false;
  private wake: (() => void) | undefined;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Ends the sleep, or keeps the next one from starting. */
  readonly notify = (): void => {
    this.pending = true;
    this.wake?.();
  };

  /** Forgets what was said so far: what follows finds out for itself. */
  forget(): void {
    this.pending = false;
  }

  /** Resolves after `ms`, or as soon as somebody notifies, or at once if somebody has. */
  async sleep(ms: number): Promise<void> {
    if (!this.pending) await this.untilNotified(ms);
    this.pending = false;
  }

  private untilNotified(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.scheduler.schedule(ms, () => this.notify(), { keepAlive: true });
      this.wake = () => {
        this.wake = undefined;
        timer.cancel();
        resolve();
      };
    });
  }
}
