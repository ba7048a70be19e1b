/** The smallest majority of `size`. */
export const majorityOf = (size: number): number => Math.floor(size / 2) + 1;

/** The largest value that `many` of the values reach; `undefined` if there are fewer. */
export const kthLargest = (many: number, values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => b - a)[many - 1];

/** Milliseconds for which `many` leases last. In the values and the result, −1 is one without end and −2 is none. */
export const quorumLease = (many: number, remaining: readonly number[]): number => {
  const endless = Number.POSITIVE_INFINITY;
  const least = kthLargest(
    many,
    remaining.map((ms) => (ms === -1 ? endless : ms)),
  );
  return least === endless ? -1 : (least ?? -2);
};
