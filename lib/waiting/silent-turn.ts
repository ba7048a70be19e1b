import type { OwnerId } from '../context/ids.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { Busy } from './acquirer.js';

/** As long as others sleep at the most by the default backoff, ms. */
const LONGEST_TURN_MS = 128;

/**
 * How long what nobody announces goes on inside this process. After a release of our own the next in line asks at once,
 * since it knows of it; it leaves again when the release was confirmed, so that others may find it free in between. When
 * that has gone on for a while it sleeps its pause, as everybody else does, or others would never get it from a process
 * in which somebody always waits.
 */
export class SilentTurn {
  /** When ours released it first in this turn, ms. */
  private since: number | undefined;
  private ours: OwnerId | undefined;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param seen What others find now. */
  got(seen: Busy | undefined): void {
    this.ours = seen?.holder;
  }

  found({ holder }: Busy): void {
    if (holder !== this.ours) this.since = undefined;
  }

  /** One of ours has released it: whether the next in line may ask at once. */
  goesOn(): boolean {
    const now = this.scheduler.now();
    this.since ??= now;
    if (now - this.since <= LONGEST_TURN_MS) return true;
    this.since = undefined;
    return false;
  }
}
