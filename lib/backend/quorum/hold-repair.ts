import { LockKeyTypeError } from '../../errors.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type { Renewal } from '../lock-operations.js';
import type { Ballot } from './ballot.js';
import type { QuorumNode } from './quorum-node.js';

/** One round of renewals, and the repairs after it. */
interface RepairRound {
  /**
   * Acquires the lock again on nodes that no longer had it. Waits for the slowest node first: otherwise it would never
   * be repaired. Never rejects.
   * @param isKept Whether a quorum renewed the renewal of this index.
   */
  run(ballot: Ballot<readonly boolean[]>, isKept: (index: number) => boolean): Promise<void>;
}

/**
 * Restores holds on nodes that lost them. A node that restarted empty has none of the holds it had granted. If a quorum
 * of the others still keeps one, its owner acquires it again on that node. Otherwise nodes that are restarted one after
 * the other, each after the last had come back, would take it away from an owner that held a quorum all the time. The
 * repair is safe: the owner has the lock anyway, acquires only what is free there, and counts that node only when a
 * later renewal finds it. It is not done for an owner whose first acquisition is being undone on that node, nor once
 * the owner has released.
 */
export class HoldRepair {
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

  /** Called when the owner releases the lock: nothing is acquired for it any more. */
  stop(owner: OwnerId): void {
    for (const wanted of this.rounds) wanted.delete(owner);
  }
}

/** One after the other, so that a node that has just come back does not receive all holds at once. */
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
      // The next renewal finds out what the node still lacks. A foreign key under one name does not concern the others.
      if (!(error instanceof LockKeyTypeError)) return;
    }
  }
};
