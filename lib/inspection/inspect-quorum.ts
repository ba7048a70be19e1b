import type { NodeState } from '../backend/quorum/quorum-lock.js';
import { majorityOf } from '../backend/quorum/majority.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { asOfKind } from './inspect-lock.js';
import type { InspectedHolder, InspectedLock, InspectedNode } from './inspected-lock.js';
import { inspectedState, ownersOf } from './inspected-state.js';

/** The holders on any node, each with its shortest lease among a majority of the nodes. */
const holdersOf = (locks: readonly InspectedLock[], needed: number): readonly InspectedHolder[] => {
  const byOwner = new Map<string, InspectedHolder[]>();
  for (const holder of locks.flatMap(({ holders }) => holders)) {
    byOwner.set(holder.owner, [...(byOwner.get(holder.owner) ?? []), holder]);
  }
  return [...byOwner.values()].flatMap((same) => {
    const longestFirst = same.toSorted((a, b) => b.remaining - a.remaining);
    const decisive = longestFirst[needed - 1];
    return decisive ? [{ ...decisive, count: Math.max(...same.map(({ count }) => count)) }] : [];
  });
};

/** Whether the servers that did not answer could make a majority with those that did. */
const isOpen = (locks: readonly InspectedLock[], silent: number, needed: number): boolean => {
  const counted = locks.flatMap((lock) => lock.holders.map(({ owner }) => owner));
  const most = Math.max(0, ...counted.map((owner) => counted.filter((other) => other === owner).length));
  return most < needed && most + silent >= needed;
};

/** A lock on independent servers: what a majority of them holds, and the state of each. */
export const inspectedQuorum = (name: string, states: readonly NodeState[], owners: OwnerIds): InspectedLock => {
  const own = ownersOf(owners);
  const nodes = states.map(({ node, stored, error }): InspectedNode => {
    if (stored === undefined) return { node, error };
    return { node, lock: inspectedState(name, 'redlock', asOfKind(stored, 'redlock'), own) };
  });
  const locks = nodes.flatMap(({ lock }) => lock ?? []);
  const needed = majorityOf(nodes.length);
  const silent = nodes.length - locks.length;
  const holders = holdersOf(locks, needed);
  const isUnknown = isOpen(locks, silent, needed);
  const problems = nodes.flatMap(({ node, lock }) => (lock?.problem === undefined ? [] : [`${node}: ${lock.problem}`]));
  if (isUnknown) problems.push(`${silent} of ${nodes.length} servers did not answer, and they decide`);
  return {
    name,
    kind: 'redlock',
    state: isUnknown ? 'unknown' : holders.length > 0 ? 'held' : 'free',
    holders,
    holderCount: holders.length,
    waiting: { count: Math.max(0, ...locks.map(({ waiting }) => waiting.count)) },
    nodes,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
};
