/** A grant with a token, and when it may have happened: after it was asked for, before it was answered. */
export interface Fenced {
  readonly id: string;
  readonly fence: bigint;
  readonly invoked: number;
  readonly granted: number;
}

/**
 * The tokens claim an order. It is walked with each grant placed as early as it can be, which is best for all that
 * follow, since the order is fixed. Returns those whose place comes too late, and tokens that were given twice.
 */
export const fencingFaults = (grants: readonly Fenced[]): string[] => {
  const ordered = grants.toSorted((a, b) => (a.fence < b.fence ? -1 : Number(a.fence > b.fence)));
  const faults: string[] = [];
  let point = Number.NEGATIVE_INFINITY;
  ordered.forEach(({ id, fence, invoked, granted }, index) => {
    if (ordered[index - 1]?.fence === fence) faults.push(`${id}: token ${fence} was given before`);
    point = Math.max(point, invoked);
    if (point > granted) faults.push(`${id}: token ${fence} is higher than that of a later grant`);
  });
  return faults;
};
