/**
 * The order of a round: everybody once, each round beginning with the next one, so that nobody always follows the same
 * conditions.
 */
export function orderOfRound<Each>(all: readonly Each[], round: number): readonly Each[] {
  if (all.length === 0) return [];
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
