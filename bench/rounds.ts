/**
 * Orders a round, in which each library is measured once. Each round begins with the next library, so that none is
 * always measured under the same conditions.
 */
export function orderOfRound<Each>(all: readonly Each[], round: number): readonly Each[] {
  if (all.length === 0) return [];
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
