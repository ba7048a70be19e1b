import type { Attempt } from '../history/history.js';

/** Something that was certainly had from one instant to another. */
export interface Interval {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly shared?: boolean;
}

/** A moment at which more was held than there is. */
export interface Overlap {
  readonly at: number;
  readonly holders: readonly string[];
}

/**
 * A grant may take effect as late as its answer, a release as early as its call. So a history is possible if and only if
 * no more than `capacity` of the intervals from the one to the other overlap at any instant: choosing those extremes
 * makes the overlap as small as it can be everywhere at once. Where it is 1, those that are `shared` may overlap each
 * other. O(n log n).
 */
export const overlaps = (intervals: readonly Interval[], capacity = 1): Overlap[] => {
  const events = intervals
    .filter(({ from, to }) => to > from)
    .flatMap((interval) => [
      { at: interval.from, begins: true, interval },
      { at: interval.to, begins: false, interval },
    ])
    // At one instant what ends comes first.
    .toSorted((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
  const held = new Set<Interval>();
  const found: Overlap[] = [];
  for (const { at, begins, interval } of events) {
    if (!begins) {
      held.delete(interval);
      continue;
    }
    held.add(interval);
    const areShared = capacity === 1 && [...held].every(({ shared }) => shared);
    if (held.size > capacity && !areShared) found.push({ at, holders: [...held].map(({ id }) => id) });
  }
  return found;
};

/** How long each attempt on a lock certainly had it. */
export const intervalsOf = (attempts: readonly Attempt[]): Interval[] =>
  attempts.flatMap(({ id, granted, until, mode }) =>
    granted === undefined ? [] : [{ id, from: granted, to: until, shared: mode === 'read' }],
  );
