import { Deadline } from '../time/deadline-timer.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** The first lease is extended after this time, ms: most locks that pass from hand to hand are released before. */
const EXTEND_AFTER_MS = 25;
/** A failed extension is repeated after this time, ms: soon, since it may have taken a third of the first lease to fail. */
const RETRY_MS = 100;

class Extension extends Deadline {
  constructor(
    readonly at: number,
    readonly onPassed: () => void,
  ) {
    super();
  }
}

/** The short first lease of a lock that another client gave to this one: it is extended if the lock is held for a while. */
export class FirstLease {
  private next: Extension;
  private isOver = false;

  /** @param extend Rejects if the lease was not extended; may be called again then. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly extend: () => Promise<void>,
  ) {
    this.next = this.extendIn(EXTEND_AFTER_MS);
  }

  /** Called when the lock is released, or lost. */
  end(): void {
    this.isOver = true;
    this.scheduler.deadlines.delete(this.next);
  }

  private extendIn(ms: number): Extension {
    const next = new Extension(this.scheduler.now() + ms, () => {
      this.extend().catch(() => {
        if (!this.isOver) this.next = this.extendIn(RETRY_MS);
      });
    });
    this.scheduler.deadlines.add(next);
    return next;
  }
}
