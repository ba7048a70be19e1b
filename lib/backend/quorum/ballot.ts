import type { QuorumNode } from './quorum-node.js';

/** What one node said to a question. */
export type Vote<T> =
  | { readonly node: QuorumNode; readonly state: 'pending' }
  | { readonly node: QuorumNode; readonly state: 'answered'; readonly answer: T }
  | { readonly node: QuorumNode; readonly state: 'failed'; readonly error: unknown };

/** One question to all nodes at once, and what they have said so far. */
export class Ballot<T> {
  /** One for each node, in their order. */
  readonly votes: Vote<T>[];
  /** Resolves when nothing is pending any more, never rejects. */
  readonly settled: Promise<unknown>;
  private onVote: () => void = () => {};

  constructor(nodes: readonly QuorumNode[], ask: (node: QuorumNode) => Promise<T>) {
    this.votes = nodes.map((node) => ({ node, state: 'pending' }));
    this.settled = Promise.all(
      nodes.map((node, index) =>
        ask(node).then(
          (answer) => this.add(index, { node, state: 'answered', answer }),
          (error: unknown) => this.add(index, { node, state: 'failed', error }),
        ),
      ),
    );
  }

  get answers(): T[] {
    return this.votes.flatMap((vote) => (vote.state === 'answered' ? [vote.answer] : []));
  }

  get errors(): unknown[] {
    return this.votes.flatMap((vote) => (vote.state === 'failed' ? [vote.error] : []));
  }

  get pending(): number {
    return this.votes.filter(({ state }) => state === 'pending').length;
  }

  count(is: (answer: T) => boolean): number {
    return this.answers.filter(is).length;
  }

  /**
   * Looks at the votes whenever one comes in, until that gives something; when nothing is pending any more, it must.
   * Who is slow delays no decision that the others have made already.
   */
  decide<R>(look: () => R | undefined): Promise<R> {
    return new Promise((resolve, reject) => {
      this.onVote = () => {
        try {
          const decision = look();
          if (decision === undefined) return;
          this.onVote = () => {};
          resolve(decision);
        } catch (error) {
          this.onVote = () => {};
          reject(error);
        }
      };
    });
  }

  private add(index: number, vote: Vote<T>): void {
    this.votes[index] = vote;
    this.onVote();
  }
}
