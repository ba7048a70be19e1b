import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

/**
 * Counts the calls that are inside at once. Each call stays long enough for another one to come in, if it is not kept
 * out.
 */
export class ConcurrencyProbe {
  /** The largest number of calls inside at once. */
  peak = 0;
  /** The value of every call, in order. */
  readonly entered: unknown[] = [];
  private inside = 0;

  async enter<T>(value: T): Promise<T> {
    this.entered.push(value);
    this.inside += 1;
    this.peak = Math.max(this.peak, this.inside);
    await turnOfTheLoop();
    await turnOfTheLoop();
    this.inside -= 1;
    return value;
  }
}
