import type { OwnerId } from '../../context/ids.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import type { Busy } from '../acquirer.js';

/** The longest sleep of the default backoff, ms. */
const LONGEST_TURN_MS = 128;

/**
 * Limits how long a lock without announcements passes between the waiters of this process. After a release of our own
 * the next waiter knows of it and tries at once; the release is confirmed first, so other processes may find the lock
 * free in between. After {@link LONGEST_TURN_MS} the next waiter sleeps for its backoff as other processes do.
 * Otherwise a process that always has waiters would never let go of the lock.
 */
export class SilentTurn {
  /** Time of this process's first release in this turn, ms. */
  private since: number | undefined;
  private ours: OwnerId | undefined;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param seen The state other waiters should assume after the grant. */
  got(seen: Busy | undefined): void {
    this.ours = seen?.holder;
  }

  found({ holder }: Busy): void {
    if (holder !== this.ours) this.since = undefined;
  }

  /** Called after a release by this process. Returns whether the next waiter may try at once. */
  goesOn(): boolean {
    const now = this.scheduler.now();
    this.since ??= now;
    if (now - this.since <= LONGEST_TURN_MS) return true;
    this.since = undefined;
    return false;
  }
}
