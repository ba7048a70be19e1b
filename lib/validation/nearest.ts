const LONGEST = 64;

/**
 * The known name that a misspelt one probably means, if any: at most a third of its letters, and at least one, may be
 * wrong, missing, superfluous or swapped with its neighbour. Case is ignored.
 */
export const nearestName = (misspelt: string, known: readonly string[]): string | undefined => {
  if (misspelt.length > LONGEST) return undefined;
  const most = Math.max(1, Math.floor(misspelt.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceBetween(misspelt.toLowerCase(), name.toLowerCase());
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
};

/** Number of differing letters (Damerau–Levenshtein distance, each letter edited at most once). */
const distanceBetween = (from: string, to: string): number => {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const edits = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      ];
      current.push(Math.min(...edits));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
};

const at = (distances: readonly number[], index: number): number => distances[index] ?? Number.POSITIVE_INFINITY;
