import { ListNode, LinkedList } from '../collections/linked-list.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** Somebody on a rota, and when it was last their turn. */
export class ScheduleEntry<T> extends ListNode<ScheduleEntry<T>> {
  constructor(
    readonly one: T,
    public at: number,
  ) {
    super();
  }
}

/**
 * Whose turn it is: everybody comes once in a period or more often, in shares of up to so many that are spread over it.
 * A share is taken from those who came last the longest ago, so that whatever was late is made up for in the order in
 * which it is missed.
 */
export class RenewalSchedule<T> {
  /** Who came last the longest ago is the first. */
  private readonly entries = new LinkedList<ScheduleEntry<T>>();
  private takenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param period Milliseconds within which everybody comes.
   * @param most How many come at once.
   */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly period: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** In how many shares everybody comes. */
  get shares(): number {
    return Math.ceil(this.size / this.most);
  }

  /** Milliseconds until the next share is to be taken; 0 or less when it is late. */
  get pause(): number {
    const now = this.scheduler.now();
    const longestAgo = this.entries.first?.at ?? now;
    return Math.min(this.takenAt + this.period / this.shares, longestAgo + this.period) - now;
  }

  /** @returns The place, by which it can be deleted. */
  add(one: T): ScheduleEntry<T> {
    const seen = new ScheduleEntry(one, this.scheduler.now());
    // Nobody has missed anything while there was nobody.
    if (this.size === 0) this.takenAt = seen.at;
    this.entries.append(seen);
    return seen;
  }

  delete(seen: ScheduleEntry<T>): void {
    this.entries.delete(seen);
  }

  /** The next share; and more, where more is late. */
  take(): T[] {
    const now = this.scheduler.now();
    const share = Math.ceil(this.size / this.shares);
    const taken: T[] = [];
    for (let next = this.entries.first; next; next = this.entries.first) {
      const isLate = next.at + this.period <= now;
      if (taken.length === this.most || (taken.length >= share && !isLate)) break;
      taken.push(next.one);
      next.at = now;
      this.entries.append(next);
    }
    this.takenAt = now;
    return taken;
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    for (const { one } of this.entries) yield one;
  }
}
