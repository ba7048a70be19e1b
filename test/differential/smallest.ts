/**
 * The shortest part of a list that still fails, found by removing one item after the other. Generated lists keep their
 * length, so they are shortened here.
 */
export const smallestFailing = async <T>(
  list: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let smallest = list;
  for (let index = smallest.length - 1; index >= 0; index--) {
    const without = smallest.toSpliced(index, 1);
    if (await fails(without)) smallest = without;
  }
  return smallest;
};
