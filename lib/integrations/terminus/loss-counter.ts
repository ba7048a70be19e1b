import type { LockEvents } from '../../events/lock-events.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';

/** How long a loss counts as recent, ms. */
export const RECENT_MS = 300_000;

/** Losses are counted by the second, so that a day of them takes no more memory than the last minutes. */
const BUCKET_MS = 1000;

interface Bucket {
  readonly since: number;
  losses: number;
}

/** Counts the holds and permits that one connection has lost of late, by its events. */
export class LossCounter {
  /** Oldest first. */
  private readonly buckets: Bucket[] = [];

  constructor(
    events: LockEvents,
    private readonly scheduler: Pick<MonotonicScheduler, 'now'>,
  ) {
    events.on(() => this.add(), ['lost']);
  }

  get count(): number {
    this.forgetOld();
    return this.buckets.reduce((sum, { losses }) => sum + losses, 0);
  }

  private add(): void {
    this.forgetOld();
    const now = this.scheduler.now();
    const last = this.buckets.at(-1);
    if (last && now - last.since < BUCKET_MS) last.losses += 1;
    else this.buckets.push({ since: now, losses: 1 });
  }

  private forgetOld(): void {
    const oldest = this.scheduler.now() - RECENT_MS;
    const kept = this.buckets.findIndex(({ since }) => since > oldest);
    this.buckets.splice(0, kept === -1 ? this.buckets.length : kept);
  }
}
