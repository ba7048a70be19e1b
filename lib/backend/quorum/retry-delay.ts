/** No two contenders are closer than this to each other on average, ms. */
const SHORTEST_SPREAD_MS = 10;
const LONGEST_SPREAD_MS = 1000;
/** The same where somebody may well have the lock, and asking again soon would be asking all the time. */
const SHORTEST_SPREAD_IN_DOUBT_MS = 250;
/** Over how many rounds contenders spread: much less than one, and they meet again; much more, and the lock lies idle. */
const ROUNDS = 4;

/**
 * How long to wait before asking all nodes again. By chance, and over several times what a round takes: contenders who
 * ask at the same time each get some of the nodes, and none of them a quorum, as long as they go on in step.
 */
export class RetryDelay {
  private round = 0;

  /** @param ms How long the last round took. */
  observe(ms: number): void {
    this.round = ms;
  }

  /** For when nobody can have a quorum. */
  next(): number {
    return this.within(SHORTEST_SPREAD_MS);
  }

  /** For when nodes that did not answer decide whether somebody has one. */
  inDoubt(): number {
    return this.within(SHORTEST_SPREAD_IN_DOUBT_MS);
  }

  private within(shortest: number): number {
    return Math.random() * Math.min(LONGEST_SPREAD_MS, Math.max(shortest, ROUNDS * this.round));
  }
}
