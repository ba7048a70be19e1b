import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/** Counts who is in it at once. Visitors stay long enough for whoever is not kept out to come in as well. */
export class Room {
  /** The largest number of visitors at once. */
  peak = 0;
  /** Everybody who has come in, in order. */
  readonly visitors: unknown[] = [];
  private inside = 0;

  async visit<T>(visitor: T): Promise<T> {
    this.visitors.push(visitor);
    this.inside += 1;
    this.peak = Math.max(this.peak, this.inside);
    await turnOfTheLoop();
    await turnOfTheLoop();
    this.inside -= 1;
    return visitor;
  }
}
