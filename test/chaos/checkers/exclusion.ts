import type { Attempt } from '../history/history.js';

/** A time during which an attempt certainly held the lock. */
export interface Interval {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly shared?: boolean;
  /** The owner, if the load has chosen it: its intervals may overlap. */
  readonly owner?: string | undefined;
}

/** A moment with more holders than the capacity allows. */
export interface Overlap {
  readonly at: number;
  readonly holders: readonly string[];
}

/**
 * A grant may take effect as late as its answer, a release as early as its call. So a history is possible if and only
 * if no more than `capacity` of the intervals between these two overlap at any instant: this choice makes the overlap
 * as small as possible everywhere at once. With a capacity of 1, `shared` intervals may overlap each other. O(n log n).
 */
export const overlaps = (intervals: readonly Interval[], capacity = 1): Overlap[] => {
  const events = intervals
    .filter(({ from, to }) => to > from)
    .flatMap((interval) => [
      { at: interval.from, begins: true, interval },
      { at: interval.to, begins: false, interval },
    ])
    // Intervals that end at an instant come before those that begin at it.
    .toSorted((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
  const held = new Set<Interval>();
  const found: Overlap[] = [];
  for (const { at, begins, interval } of events) {
    if (!begins) {
      held.delete(interval);
      continue;
    }
    held.add(interval);
    const all = [...held];
    const areShared = capacity === 1 && (all.every(({ shared }) => shared) || areOfOneOwner(all));
    if (held.size > capacity && !areShared) found.push({ at, holders: all.map(({ id }) => id) });
  }
  return found;
};

const areOfOneOwner = ([first, ...others]: readonly Interval[]): boolean =>
  first?.owner !== undefined && others.every(({ owner }) => owner === first.owner);

/**
 * The time during which each attempt certainly held the lock.
 * @param untoldFor The time for which a holder may not know that another one has ended its hold, ms.
 */
export const intervalsOf = (attempts: readonly Attempt[], untoldFor = 0): Interval[] =>
  attempts.flatMap(({ id, granted, until, mode, owner }) =>
    granted === undefined ? [] : [{ id, from: granted, to: until - untoldFor, shared: mode === 'read', owner }],
  );
