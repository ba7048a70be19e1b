import { WrongKeyTypeError } from '../../errors.js';
import type { OwnerId } from '../../context/ids.js';
import type { Renewal } from '../lock-operations.js';
import type { Ballot } from './ballot.js';
import type { QuorumNode } from './quorum-node.js';

/** One round of renewals, and what is repaired after it. */
export interface RepairRound {
  /**
   * Takes the lock again on nodes that no longer had it, when the slowest has answered as well: otherwise that one would
   * never be repaired. Never rejects.
   * @param isKept Whether a quorum renewed the renewal of this index.
   */
  run(ballot: Ballot<readonly boolean[]>, isKept: (index: number) => boolean): Promise<void>;
}

/**
 * A node that restarted empty knows nothing of the holds it had granted. Where a quorum of the others still keeps one,
 * its owner takes it again on that node: otherwise nodes that are restarted one after the other, each after the last had
 * come back, would take it away from an owner that held a quorum all the time. That hurts nobody: the owner has the lock
 * anyway, takes only what is free there, and counts that node only when a later renewal finds it. It is not done
 * for an owner whose first acquisition is being undone on that node, nor once the owner has released.
 */
export class Repair {
  private readonly rounds = new Set<Set<OwnerId>>();

  /** To be called before the renewals are sent. */
  begin(renewals: readonly Renewal[]): RepairRound {
    const wanted = new Set(renewals.map(({ owner }) => owner));
    this.rounds.add(wanted);
    return {
      run: async (ballot, isKept) => {
        await ballot.settled;
        const missing = (held: readonly boolean[]): readonly Renewal[] =>
          renewals.filter((_, index) => held[index] !== true && isKept(index));
        const works = ballot.votes.map(async (vote) => {
          if (vote.state === 'answered') await takeAgain(vote.node, missing(vote.answer), wanted);
        });
        await Promise.all(works);
        this.rounds.delete(wanted);
      },
    };
  }

  /** The owner gives the lock back: nothing is taken for it any more. */
  stop(owner: OwnerId): void {
    for (const wanted of this.rounds) wanted.delete(owner);
  }
}

/** One after the other, so that a node that has just come back is not met by all holds at once. */
const takeAgain = async (
  node: QuorumNode,
  missing: readonly Renewal[],
  wanted: ReadonlySet<OwnerId>,
): Promise<void> => {
  for (const renewal of missing) {
    if (!wanted.has(renewal.owner) || node.isUndone(renewal.owner)) continue;
    try {
      await node.acquire(renewal);
    } catch (error) {
      // The next renewal finds out what the node still lacks. A foreign key under one name says nothing of the others.
      if (!(error instanceof WrongKeyTypeError)) return;
    }
  }
};
