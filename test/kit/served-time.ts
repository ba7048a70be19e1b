const BEAT_MS = 5;
/** What one beat counts at the most, however late it comes. */
const MOST_MS = 2 * BEAT_MS;

/**
 * Time in which this process could run. On a machine so busy that a timer of 5 ms comes after 50, as every answer of a server
 * does then, it goes slowly: so a limit that is counted in it holds on any machine.
 */
export class ServedTime {
  private served = 0;
  private last = performance.now();
  private readonly beat = setInterval(() => this.count(), BEAT_MS).unref();

  /** Since the start, ms. */
  get elapsed(): number {
    return this.served;
  }

  stop(): void {
    this.count();
    clearInterval(this.beat);
  }

  private count(): void {
    const now = performance.now();
    this.served += Math.min(now - this.last, MOST_MS);
    this.last = now;
  }
}
