import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { ServedTime } from './served-time.js';

/**
 * The clocks and timers of Node, except that the monotonic clock counts {@link ServedTime}: while a busy machine does not
 * let this process run, no command of it misses its deadline. Leases end by the wall clock, as after a suspension of the
 * machine. Timers fire in real time, so that renewals are not late.
 */
export class ServedScheduler implements Scheduler {
  private readonly time = new ServedTime();

  readonly now = (): number => this.time.now;
  readonly wallNow = (): number => Date.now();
  readonly schedule: Scheduler['schedule'] = (ms, task, options) => systemScheduler.schedule(ms, task, options);

  /** Stops the clock. */
  stop(): void {
    this.time.stop();
  }
}
