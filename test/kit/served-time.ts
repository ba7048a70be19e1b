const BEAT_MS = 5;
/** The most that one beat counts for, however late it comes. */
const MOST_MS = 2 * BEAT_MS;

/**
 * The time for which this process could run. It passes slowly on a busy machine, where a timer of 5 ms fires after 50,
 * and answers of a server come as late. So a limit in it holds on any machine.
 */
export class ServedTime {
  private served = 0;
  private longest = 0;
  private last = performance.now();
  private readonly beat = setInterval(() => this.count(), BEAT_MS).unref();

  /** The time since the start, ms, up to the last beat. */
  get elapsed(): number {
    return this.served;
  }

  /** The time since the start, ms. */
  get now(): number {
    return this.served + Math.min(performance.now() - this.last, MOST_MS);
  }

  /**
   * The longest time for which this process could not run, ms: what it notices by its clock, it may notice that much
   * later.
   */
  get longestStall(): number {
    this.count();
    return this.longest;
  }

  stop(): void {
    this.count();
    clearInterval(this.beat);
  }

  private count(): void {
    const now = performance.now();
    const gap = now - this.last;
    this.served += Math.min(gap, MOST_MS);
    if (gap > MOST_MS) this.longest = Math.max(this.longest, gap);
    this.last = now;
  }
}
