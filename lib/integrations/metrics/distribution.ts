import { BUCKETS } from './metrics.js';

/** How many durations lie in each of {@link BUCKETS}. Adding one allocates nothing: it happens for each acquisition. */
export class Distribution {
  /** The last one has no upper bound. */
  private readonly counts: number[] = Array.from({ length: BUCKETS.length + 1 }, () => 0);
  /** Milliseconds. */
  sum = 0;
  count = 0;

  /** @param ms Milliseconds. */
  add(ms: number): void {
    let index = 0;
    while (index < BUCKETS.length && ms > (BUCKETS[index] ?? 0)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += ms;
    this.count += 1;
  }

  /** The numbers of durations up to each upper bound, ms. */
  get cumulative(): readonly { readonly upTo: number; readonly count: number }[] {
    let count = 0;
    return this.counts.map((each, index) => ({ upTo: BUCKETS[index] ?? Infinity, count: (count += each) }));
  }
}
