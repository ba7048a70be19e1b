import type { InspectedLock } from './inspected-lock.js';

/**
 * Several locks as one, of which `needed` must be held.
 * @param members Each was inspected by itself, at about the same time.
 */
export const inspectedTogether = (
  name: string,
  members: readonly InspectedLock[],
  needed = members.length,
): InspectedLock => {
  const held = members.filter(({ state }) => state === 'held').length;
  const problems = members.flatMap(({ name: member, problem }) =>
    problem === undefined ? [] : [`${member}: ${problem}`],
  );
  return {
    name,
    kind: 'multi',
    state: held >= needed ? 'held' : 'free',
    holders: members.flatMap(({ holders }) => holders),
    holderCount: members.reduce((sum, { holderCount }) => sum + holderCount, 0),
    waiting: { count: Math.max(0, ...members.map(({ waiting }) => waiting.count)) },
    members,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
};
