import { BUCKETS, type COUNTERS, type DURATIONS, type GAUGES } from './metrics.js';
import type { LockLabels } from './label-sets.js';

/** How many durations lie in each of {@link BUCKETS}. Adding one allocates nothing: it happens for each acquisition. */
class Distribution {
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

type Fields = Readonly<Record<keyof typeof DURATIONS, Distribution>> &
  Record<keyof typeof COUNTERS | keyof typeof GAUGES, number>;

/** All numbers about the locks of one set of labels. */
export class LockSeries implements Fields {
  readonly waits = new Distribution();
  readonly holds = new Distribution();
  contention = 0;
  timeouts = 0;
  conflicts = 0;
  cancellations = 0;
  failures = 0;
  losses = 0;
  renewalFailures = 0;
  releases = 0;
  readonly handovers = { process: 0, server: 0 };
  held = 0;
  waiting = 0;

  constructor(readonly labels: LockLabels) {}
}
