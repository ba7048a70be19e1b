import type { SteadyScheduler } from '../time/steady-scheduler.js';

/**
 * Whose turn it is: everybody comes once in a period or more often, in shares of up to so many that are spread over it.
 * A share is taken from those who came last the longest ago, so that whatever was late is made up for in the order in
 * which it is missed.
 */
export class Rota<T> {
  /** When each came last, in that order. */
  private readonly seen = new Map<T, number>();
  private takenAt = Number.NEGATIVE_INFINITY;

  /**
   * @param period Milliseconds within which everybody comes.
   * @param most How many come at once.
   */
  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly period: number,
    private readonly most: number,
  ) {}

  get size(): number {
    return this.seen.size;
  }

  /** In how many shares everybody comes. */
  get shares(): number {
    return Math.ceil(this.size / this.most);
  }

  /** Milliseconds until the next share is to be taken; 0 or less when it is late. */
  get pause(): number {
    const now = this.scheduler.now();
    const [longestAgo = now] = this.seen.values();
    return Math.min(this.takenAt + this.period / this.shares, longestAgo + this.period) - now;
  }

  has(one: T): boolean {
    return this.seen.has(one);
  }

  /** Whoever is on it already keeps the place. */
  add(one: T): void {
    if (this.has(one)) return;
    const now = this.scheduler.now();
    // Nobody has missed anything while there was nobody.
    if (this.size === 0) this.takenAt = now;
    this.seen.set(one, now);
  }

  delete(one: T): void {
    this.seen.delete(one);
  }

  clear(): void {
    this.seen.clear();
  }

  /** The next share; and more, where more is late. */
  take(): T[] {
    const now = this.scheduler.now();
    const share = Math.ceil(this.size / this.shares);
    const taken: T[] = [];
    for (const [one, seenAt] of this.seen) {
      const isLate = seenAt + this.period <= now;
      if (taken.length === this.most || (taken.length >= share && !isLate)) break;
      taken.push(one);
    }
    for (const one of taken) {
      this.seen.delete(one);
      this.seen.set(one, now);
    }
    this.takenAt = now;
    return taken;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.seen.keys();
  }
}
