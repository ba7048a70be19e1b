import { LinkedList, ListNode } from '../linked-list.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** An entry of a schedule, and the time when it was last taken. */
export class ScheduleEntry<T> extends ListNode<ScheduleEntry<T>> {
  constructor(
    readonly schedule: RenewalSchedule<T>,
    readonly item: T,
    public at: number,
  ) {
    super();
  }
}

/**
 * Round robin: every entry is due at least once per `period`. Entries are taken in batches of at most `most`, spread
 * evenly over the period, least recently taken first, so overdue entries are caught up in the order they became due.
 */
export class RenewalSchedule<T> {
  /** Least recently taken first. */
  private readonly entries = new LinkedList<ScheduleEntry<T>>();
  private takenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param period Milliseconds within which every entry is taken.
   * @param most Maximum size of a batch.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    readonly period: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** Number of batches per period. */
  get shares(): number {
    return Math.ceil(this.size / this.most);
  }

  /** Milliseconds until the next batch is due; 0 or less if it is overdue. */
  pause(now = this.scheduler.now()): number {
    const longestAgo = this.entries.first?.at ?? now;
    return Math.min(this.takenAt + this.period / this.shares, longestAgo + this.period) - now;
  }

  /** @returns The entry, needed to delete it. */
  add(item: T, now = this.scheduler.now()): ScheduleEntry<T> {
    const entry = new ScheduleEntry(this, item, now);
    // An empty schedule had nothing due, so its period starts now.
    if (this.size === 0) this.takenAt = entry.at;
    this.entries.append(entry);
    return entry;
  }

  delete(entry: ScheduleEntry<T>): void {
    this.entries.delete(entry);
  }

  /** The next batch; larger, up to `most`, if more entries are overdue. */
  take(): T[] {
    const now = this.scheduler.now();
    const share = Math.ceil(this.size / this.shares);
    const taken: T[] = [];
    for (let next = this.entries.first; next; next = this.entries.first) {
      const isLate = next.at + this.period <= now;
      if (taken.length === this.most || (taken.length >= share && !isLate)) break;
      taken.push(next.item);
      next.at = now;
      this.entries.append(next);
    }
    this.takenAt = now;
    return taken;
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    for (const { item } of this.entries) yield item;
  }
}
