import { ManualClock } from '../../lib/testing/manual-clock.js';

const START = 1_700_000_000_000;

/** The clocks of a machine, of which only the wall clock goes on while it is suspended. */
export class SuspendedClock extends ManualClock {
  private suspended = 0;

  wallNow(): number {
    return START + this.now() + this.suspended;
  }

  suspend(ms: number): void {
    this.suspended += ms;
  }
}
