/** A grant with a token. It took effect after its request and before its answer. */
export interface Fenced {
  readonly id: string;
  readonly fence: bigint;
  readonly invoked: number;
  readonly granted: number;
}

/**
 * Returns the grants that contradict the order of their tokens, and the tokens that were given twice. The grants are
 * walked in the order of their tokens, and each is placed as early as possible, which is best for all that follow.
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
