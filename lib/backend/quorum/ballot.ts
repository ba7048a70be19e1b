import type { QuorumNode } from './quorum-node.js';
import { isPassing, type LockError, LockUnavailableError, WrongKeyTypeError } from '../../errors.js';
import type { AcquireOutcome, NodeResult } from '../lock-operations.js';
import type { RetryDelay } from './retry-delay.js';

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

type BusyNodes = Extract<AcquireOutcome, { outcome: 'busy' }>;

/** What was said to a yes-or-no question: `open` while nodes are pending that can decide it, `undecided` with none left. */
export type Verdict = 'yes' | 'no' | 'open' | 'undecided';

/** `yes` needs a quorum; `no` that there can be none for it, whatever the others would say. */
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

/** What each node said, for errors. */
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

/** Why too few nodes answered for a decision: what all of them said, or what so many of them say that it is the reason. */
export const noQuorum = <T>(
  ballot: Ballot<T>,
  quorum: number,
  lockName: string | undefined,
  inWords: (answer: T) => Omit<NodeResult, 'node'>,
): LockError => {
  const { errors, votes } = ballot;
  const most = votes.length - quorum;
  const wrong = errors.filter((error) => error instanceof WrongKeyTypeError);
  const [first] = wrong;
  if (first && wrong.length > most) return first;
  const nodes = resultsOf(ballot, inWords);
  const permanent = errors.filter((error) => !isPassing(error)).length > most;
  const text =
    `No quorum of the Redis nodes could decide: ${ballot.answers.length} of ${votes.length} answered, ` +
    `${quorum} are needed (${nodes.map(inOneLine).join('; ')})`;
  return new LockUnavailableError(text, outcomeOf(errors), permanent, {
    lockName,
    details: { quorum, nodes },
    cause: errors[0],
  });
};

const byTime = (a: number, b: number): number => a - b;

/**
 * What it means for a new owner that others have so many nodes that there is no quorum left.
 * @param retryDelay For when nobody is seen with a quorum: others came at the same time, and all of them give back what
 *   they got without a word.
 */
export const busyFor = (ballot: Ballot<AcquireOutcome>, quorum: number, retryDelay: RetryDelay): AcquireOutcome => {
  const busy = ballot.answers.filter((answer): answer is BusyNodes => answer.outcome === 'busy');
  const silent = ballot.votes.length - ballot.answers.length;
  const nodesOf = (holder: string): number => busy.filter((answer) => answer.holder === holder).length;
  const [strongest] = busy.toSorted((a, b) => nodesOf(b.holder) - nodesOf(a.holder));
  const holder = strongest?.holder ?? '';
  const votes = nodesOf(holder);
  const ends = busy.map(({ remaining }) => (remaining < 0 ? Number.POSITIVE_INFINITY : remaining)).toSorted(byTime);
  // So many have to end that what is free then is a quorum, with those that are silent: they may be free.
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
