import type { QuorumNode } from './quorum-node.js';
import { isPassing, type LockError, LockUnavailableError, LockKeyTypeError } from '../../errors.js';
import type { AcquireOutcome, NodeResult } from '../lock-operations.js';
import type { RetryDelay } from './retry-delay.js';

/** The answer of one node to a question. */
type Vote<T> =
  | { readonly node: QuorumNode; readonly state: 'pending' }
  | { readonly node: QuorumNode; readonly state: 'answered'; readonly answer: T }
  | { readonly node: QuorumNode; readonly state: 'failed'; readonly error: unknown };

/** One question to all nodes at once, and their answers so far. */
export class Ballot<T> {
  /** One for each node, in their order. */
  readonly votes: Vote<T>[];
  /** Resolves when no vote is pending any more, never rejects. */
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
   * Calls `look` with every vote that arrives, until it returns a decision; once no vote is pending, it must. A slow
   * node delays no decision that the others have made already.
   */
  decide<R>(look: () => R | undefined): Promise<R> {
    return new Promise((resolve, reject) => {
      // Votes after the decision change nothing.
      this.onVote = () => {
        try {
          const decision = look();
          if (decision !== undefined) resolve(decision);
        } catch (error) {
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

type BusyNodes = Extract<AcquireOutcome, { outcome: 'busy' }>;

/** Result of a yes-or-no question: `open` while pending nodes can decide it, `undecided` with none left. */
export type Verdict = 'yes' | 'no' | 'open' | 'undecided';

/** `yes` needs a quorum; `no` means that there can be none, whatever the others answer. */
export const verdictOn = (yes: number, no: number, pending: number, size: number, quorum: number): Verdict => {
  if (yes >= quorum) return 'yes';
  if (no > size - quorum) return 'no';
  return pending > 0 ? 'open' : 'undecided';
};

const resultOf = <T>(vote: Vote<T>, inWords: (answer: T) => Omit<NodeResult, 'node'>): NodeResult => {
  const node = vote.node.label;
  switch (vote.state) {
    case 'pending':
      return { node, outcome: 'pending' };
    case 'failed':
      return { node, outcome: 'failed', error: vote.error };
    default:
      return { node, ...inWords(vote.answer) };
  }
};

/** The answer of each node, for errors. */
export const resultsOf = <T>(
  { votes }: Ballot<T>,
  inWords: (answer: T) => Omit<NodeResult, 'node'>,
): readonly NodeResult[] => votes.map((vote) => resultOf(vote, inWords));

export const describeGrant = (answer: AcquireOutcome): Omit<NodeResult, 'node'> =>
  answer.outcome === 'busy' ? { outcome: 'busy', holder: answer.holder } : { outcome: answer.outcome };

const inOneLine = ({ node, outcome, error }: NodeResult): string =>
  `${node}: ${error instanceof Error ? error.message : outcome}`;

const outcomeOf = (errors: readonly unknown[]): LockUnavailableError['outcome'] => {
  const outcomes = errors.map((error) => (error instanceof LockUnavailableError ? error.outcome : 'unknown'));
  return (['unknown', 'refused'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'not-sent';
};

/**
 * The error if too few nodes answered for a decision: with the answers of all of them, or the one that so many of them
 * gave that it is the reason.
 * @param hasChanged Whether a node of this answer was changed, so that the outcome of the whole is not that of the errors.
 */
export const noQuorum = <T>(
  ballot: Ballot<T>,
  quorum: number,
  lockName: string | undefined,
  inWords: (answer: T) => Omit<NodeResult, 'node'>,
  hasChanged: (answer: T) => boolean = () => false,
): LockError => {
  const { errors, votes } = ballot;
  const most = votes.length - quorum;
  const wrong = errors.filter((error) => error instanceof LockKeyTypeError);
  const [first] = wrong;
  if (first && wrong.length > most) return first;
  const nodes = resultsOf(ballot, inWords);
  const permanent = errors.filter((error) => !isPassing(error)).length > most;
  const text =
    `No quorum of the Redis nodes could decide: ${ballot.answers.length} of ${votes.length} answered, ` +
    `${quorum} are needed (${nodes.map(inOneLine).join('; ')})`;
  const outcome = ballot.count(hasChanged) > 0 ? 'unknown' : outcomeOf(errors);
  return new LockUnavailableError(text, outcome, permanent, {
    lockName,
    details: { quorum, nodes },
    cause: errors[0],
  });
};

const byTime = (a: number, b: number): number => a - b;

/**
 * The outcome for a new owner if other owners have so many nodes that no quorum is left.
 * @param retryDelay Used if no owner is seen with a quorum: others came at the same time, and all of them release what
 *   they acquired without an announcement.
 */
export const busyFor = (ballot: Ballot<AcquireOutcome>, quorum: number, retryDelay: RetryDelay): AcquireOutcome => {
  const busy = ballot.answers.filter((answer): answer is BusyNodes => answer.outcome === 'busy');
  const silent = ballot.votes.length - ballot.answers.length;
  const nodesOf = (holder: string): number => busy.filter((answer) => answer.holder === holder).length;
  const [strongest] = busy.toSorted((a, b) => nodesOf(b.holder) - nodesOf(a.holder));
  const holder = strongest?.holder ?? '';
  const votes = nodesOf(holder);
  const ends = busy.map(({ remaining }) => (remaining < 0 ? Number.POSITIVE_INFINITY : remaining)).toSorted(byTime);
  // Number of leases that must end before the free nodes make a quorum. Nodes that did not answer count as free.
  const enough = busy.length - (ballot.votes.length - quorum);
  const end = ends[Math.max(0, enough - 1)] ?? 0;
  const retry = votes + silent >= quorum ? retryDelay.inDoubt() : retryDelay.next();
  const remaining = votes >= quorum ? end : Math.min(end, Math.ceil(retry));
  return {
    outcome: 'busy',
    holder,
    remaining: Number.isFinite(remaining) ? remaining : -1,
    nodes: resultsOf(ballot, describeGrant),
  };
};
