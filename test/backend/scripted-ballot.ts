import { Ballot } from '../../lib/backend/quorum/ballot.js';
import type { QuorumNode } from '../../lib/backend/quorum/quorum-node.js';
import { type HeldBack, heldBack, scriptedNodes } from './scripted-nodes.js';

/** A ballot, in which the test casts the votes. */
export const openBallot = <T>(size: number) => {
  const { clock, nodes, acquired } = scriptedNodes(size);
  const held = new Map<QuorumNode, HeldBack<T>>(nodes.map((node) => [node, heldBack<T>()]));
  const ballot = new Ballot<T>(nodes, (node) => held.get(node)?.promise ?? Promise.reject(new Error('No such node')));
  const cast = (index: number, vote: T | Error): void => {
    const node = nodes[index];
    const question = node && held.get(node);
    if (vote instanceof Error) question?.reject(vote);
    else question?.resolve(vote);
  };
  return { clock, ballot, cast, acquired };
};

/** A ballot after all votes. */
export const decided = async <T>(votes: readonly (T | Error)[]): Promise<Ballot<T>> => {
  const { ballot, cast } = openBallot<T>(votes.length);
  for (const [index, vote] of votes.entries()) cast(index, vote);
  await ballot.settled;
  return ballot;
};
