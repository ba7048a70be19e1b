import type { Hold } from '../../lib/holds/hold.js';

interface Interval {
  readonly name: string;
  readonly owner: string;
  readonly from: number;
  to: number;
  /** The time of the grant by the clock for gaps. */
  readonly granted: number;
}

/**
 * The holds of each name, with their owners. A hold lasts from the answer to the acquire until the call to release or
 * the abort of its signal, whichever comes first. A grant may take effect as late as its answer and a release as early
 * as its call, so the history is legal exactly if these intervals of different owners never overlap (faults.md section
 * 9, I1).
 */
export class History {
  private readonly intervals: Interval[] = [];

  /** @param clock In which gaps are measured, ms. */
  constructor(private readonly clock: () => number) {}

  /** Records the hold. Call it in the turn in which the hold was granted. */
  note<H extends Hold | null>(hold: H): H {
    if (hold === null) return hold;
    const { name, owner } = hold;
    const interval: Interval = { name, owner, from: performance.now(), to: Infinity, granted: this.clock() };
    const end = (): void => {
      interval.to = Math.min(interval.to, performance.now());
    };
    hold.signal.addEventListener('abort', end);
    const release = hold.release.bind(hold);
    hold.release = () => {
      end();
      return release();
    };
    this.intervals.push(interval);
    return hold;
  }

  /** The number of grants. */
  get grants(): number {
    return this.intervals.length;
  }

  /** The longest time between two grants of `name`, ms. */
  longestGap(name: string): number {
    const starts = this.intervals.filter((each) => each.name === name).map(({ granted }) => granted);
    return Math.max(0, ...starts.slice(1).map((start, index) => start - (starts[index] ?? start)));
  }

  /** Fails if two owners held a name at once, and then forgets everything. */
  checkExclusion(): void {
    const sorted = this.intervals.splice(0).toSorted((a, b) => a.from - b.from);
    const holders = new Map<string, Interval>();
    const violations: string[] = [];
    for (const next of sorted) {
      const holder = holders.get(next.name);
      if (holder && holder.owner !== next.owner && holder.to > next.from) {
        violations.push(`${next.name}: ${holder.owner} until ${holder.to}, ${next.owner} from ${next.from}`);
      }
      if (!holder || next.to > holder.to) holders.set(next.name, next);
    }
    if (violations.length > 0) throw new Error(`Two holders at once:\n${violations.join('\n')}`);
  }
}
