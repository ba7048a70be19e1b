/** The shortest range of random delays, ms: contenders spread over at least this. */
const SHORTEST_SPREAD_MS = 10;
const LONGEST_SPREAD_MS = 1000;
/** The same if another owner may well have the lock, and a short delay would mean constant requests. */
const SHORTEST_SPREAD_IN_DOUBT_MS = 250;
/**
 * Number of rounds over which contenders spread: with far fewer they collide again, with far more the lock stays idle.
 */
const ROUNDS = 4;

/**
 * Delay before all nodes are asked again. Random, over several times the length of a round: contenders that ask at the
 * same time each get some of the nodes, and none of them a quorum, as long as they stay in step.
 */
export class RetryDelay {
  private round = 0;

  /** @param ms Length of the last round. */
  observe(ms: number): void {
    this.round = ms;
  }

  /** Delay if no owner can have a quorum, ms. */
  next(): number {
    return this.within(SHORTEST_SPREAD_MS);
  }

  /** Delay if nodes that did not answer decide whether an owner has a quorum, ms. */
  inDoubt(): number {
    return this.within(SHORTEST_SPREAD_IN_DOUBT_MS);
  }

  private within(shortest: number): number {
    return Math.random() * Math.min(LONGEST_SPREAD_MS, Math.max(shortest, ROUNDS * this.round));
  }
}
