import { type LockError, LockKeyTypeError, LockOptionsError, LockUnavailableError } from '../../errors.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockOperations,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-operations.js';
import { Ballot, busyFor, describeGrant, noQuorum, type Verdict, verdictOn } from './ballot.js';
import type { QuorumNode } from './quorum-node.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { StoredState } from '../kinds/inspection/inspection-operations.js';
import { type MonotonicScheduler, Stopwatch } from '../../time/scheduler.js';
import { Background } from '../../concurrency.js';
import { kthLargest, majorityOf, quorumLease } from './majority.js';
import type { RetryDelay } from './retry-delay.js';

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

/** Drift between the clocks of the nodes: a share of the lease, and the granularity of their expiry, ms. */
const DRIFT = 0.01;
const GRAIN_MS = 2;

const isGrant = ({ outcome }: AcquireOutcome): boolean => outcome === 'acquired';
const isTrue = (answer: boolean): boolean => answer;

/** RedLock's rule: how much of a lease is left after the round that acquired it, if no node's clock is trusted, ms. */
export const validity = (lease: number, elapsed: number): number => lease - elapsed - (lease * DRIFT + GRAIN_MS);

/** The labels of two nodes that are one server, reached by two addresses: it would have two votes. */
const duplicateServer = (nodes: readonly QuorumNode[]): readonly string[] | undefined => {
  const known = new Map<string, string>();
  for (const { serverId, label } of nodes) {
    if (serverId === undefined) continue;
    const other = known.get(serverId);
    if (other !== undefined) return [other, label];
    known.set(serverId, label);
  }
  return undefined;
};

/** State of a lock on one of the nodes, or why the node did not tell it. */
export interface NodeState {
  readonly node: string;
  readonly stored?: StoredState;
  readonly error?: unknown;
}

/**
 * The RedLock algorithm: one lock on N independent masters, decided by a quorum of them. Every operation asks all nodes
 * at once under the same owner id, and answers as soon as the pending nodes cannot change the outcome. On each node it
 * is that node's own operation, with its deadline, its single effect and its release of orphans.
 */
export class QuorumLock implements LockOperations {
  private readonly background: Background;
  private readonly repair: HoldRepair;

  /** @param quorum More than half of the nodes. */
  constructor(
    private readonly nodes: readonly QuorumNode[],
    private readonly quorum: number,
    private readonly retryDelay: RetryDelay,
    private readonly scheduler: MonotonicScheduler,
  ) {
    this.background = new Background(scheduler);
    this.repair = new HoldRepair();
  }

  async acquire(request: AcquireRequest): Promise<AcquireOutcome> {
    const { quorum } = this;
    const sent = new Stopwatch(this.scheduler);
    const ballot = new Ballot(this.nodes, (node) => node.acquire(request));
    const granted = (): number => ballot.count(isGrant);
    const isGranted = await ballot.decide(() => {
      if (granted() >= quorum) return true;
      if (granted() + ballot.pending >= quorum) return undefined;
      // Not granted. The pending nodes may still tell whether other owners have the lock.
      return ballot.answers.length >= quorum || ballot.pending === 0 ? false : undefined;
    });
    this.retryDelay.observe(sent.elapsed);
    const problem = isGranted ? this.problemWith(request, sent) : undefined;
    if (isGranted && !problem) return { outcome: 'acquired', sent };
    // A quorum that is given up may have been seen by other waiters, which now sleep until its end is announced.
    await this.undo(ballot, (node) => this.giveBack(node, request, !isGranted));
    if (problem) throw problem;
    if (ballot.answers.length < quorum) throw noQuorum(ballot, quorum, request.name, describeGrant, isGrant);
    return busyFor(ballot, quorum, this.retryDelay);
  }

  async hold(request: HoldRequest): Promise<HoldOutcome> {
    const sent = new Stopwatch(this.scheduler);
    const ballot = new Ballot(this.nodes, (node) => node.hold(request));
    const verdict = await this.verdict(ballot, ({ outcome }) => outcome === 'held');
    if (verdict === 'yes') return { outcome: 'held', sent };
    if (verdict === 'no') {
      this.abandon(request);
      return { outcome: 'lost' };
    }
    throw noQuorum(ballot, this.quorum, request.name, ({ outcome }) => ({ outcome }));
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const sent = new Stopwatch(this.scheduler);
    const round = this.repair.begin(renewals);
    const ballot = new Ballot(this.nodes, (node) => node.renew(renewals));
    const verdicts = await ballot.decide(() => {
      const seen = renewals.map((_, index) => this.look(ballot, (held) => held[index] === true));
      return seen.includes('open') ? undefined : seen;
    });
    renewals.forEach((renewal, index) => verdicts[index] === 'no' && this.abandon(renewal));
    const isKept = (index: number): boolean => verdicts[index] === 'yes';
    runOutsideContexts(() => this.background.add(round.run(ballot, isKept)));
    const held = verdicts.map((verdict) => (verdict === 'undecided' ? undefined : verdict === 'yes'));
    if (!held.includes(undefined)) return { sent, held };
    const inWords = (): { outcome: string } => ({ outcome: 'answered' });
    return { sent, held, failure: noQuorum(ballot, this.quorum, undefined, inWords) };
  }

  async release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    this.repair.stop(request.owner);
    const ballot = new Ballot(this.nodes, (node) => node.release(request));
    this.background.add(ballot.settled);
    const verdict = await this.verdict(ballot, ({ outcome }) => outcome === 'released');
    if (verdict !== 'undecided') return { outcome: verdict === 'yes' ? 'released' : 'not-held' };
    // A majority reports it free, and no answer shows that it was lost before.
    if (ballot.answers.length >= majorityOf(this.size)) return { outcome: 'released' };
    const isReleased = ({ outcome }: ReleaseOutcome): boolean => outcome === 'released';
    throw noQuorum(ballot, this.quorum, request.name, ({ outcome }) => ({ outcome }), isReleased);
  }

  async leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    this.repair.stop(request.owner);
    const ballot = new Ballot(this.nodes, (node) => node.leaveBehind(request));
    this.background.add(ballot.settled);
    const verdict = await this.verdict(ballot, (wasHeld) => wasHeld);
    if (verdict === 'undecided')
      throw noQuorum(ballot, this.quorum, request.name, (wasHeld) => ({ outcome: wasHeld ? 'held' : 'lost' }), isTrue);
    if (verdict === 'no') this.abandon(request);
    return verdict === 'yes';
  }

  /** Waits for every node: a late release would end the hold of the next owner. */
  async forceRelease(request: ForceReleaseRequest): Promise<boolean> {
    const ballot = new Ballot(this.nodes, (node) => node.forceRelease(request));
    await ballot.settled;
    if (ballot.answers.length >= majorityOf(this.size)) return ballot.count((held) => held) > 0;
    throw noQuorum(ballot, this.quorum, request.name, (held) => ({ outcome: held ? 'released' : 'not-held' }), isTrue);
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const ballot = new Ballot(this.nodes, (node) => node.inspect(name, owner));
    const verdict = await ballot.decide(() => {
      const locked = this.look(ballot, (state) => state.locked);
      // The first nodes to answer may be just those that do not count the owner.
      const counted = owner === undefined ? 'no' : this.look(ballot, ({ count }) => count > 0);
      if (locked === 'open' || (locked === 'yes' && counted === 'open')) return undefined;
      return locked === 'yes' && counted === 'undecided' ? counted : locked;
    });
    if (verdict === 'undecided')
      throw noQuorum(ballot, this.quorum, name, ({ locked }) => ({ outcome: locked ? 'locked' : 'free' }));
    if (verdict === 'no') return { locked: false, count: 0, remaining: -2 };
    const [counts, leases] = [
      ballot.answers.map(({ count }) => count),
      ballot.answers.map(({ remaining }) => remaining),
    ];
    return { locked: true, count: kthLargest(this.quorum, counts) ?? 0, remaining: quorumLease(this.quorum, leases) };
  }

  /** Reads the state of a lock on each node. Waits for all of them, each for its time limit at most. */
  read(name: string): Promise<readonly NodeState[]> {
    const ask = (node: QuorumNode): Promise<NodeState> =>
      node.read(name).then(
        (stored) => ({ node: node.label, stored }),
        (error: unknown) => ({ node: node.label, error }),
      );
    return Promise.all(this.nodes.map(ask));
  }

  /** Resolves when no background work is left, or after `ms`. */
  finish(ms: number): Promise<void> {
    return this.background.finish(ms);
  }

  private get size(): number {
    return this.nodes.length;
  }

  private verdict<T>(ballot: Ballot<T>, isYes: (answer: T) => boolean): Promise<Verdict> {
    return ballot.decide(() => {
      const verdict = this.look(ballot, isYes);
      return verdict === 'open' ? undefined : verdict;
    });
  }

  private look<T>(ballot: Ballot<T>, isYes: (answer: T) => boolean): Verdict {
    const yes = ballot.count(isYes);
    return verdictOn(yes, ballot.answers.length - yes, ballot.pending, this.size, this.quorum);
  }

  /**
   * Releases the acquisition on every node. Waits for the nodes that answered; on the pending ones the release follows
   * the acquisition as soon as that has settled. An acquisition of unknown outcome is undone by the node itself.
   */
  private async undo({ votes }: Ballot<AcquireOutcome>, free: (node: QuorumNode) => Promise<void>): Promise<void> {
    const undone = votes.map(async (vote) => {
      const maybeHeld = vote.state === 'pending' || (vote.state === 'answered' && vote.answer.outcome === 'acquired');
      const work = maybeHeld ? free(vote.node) : Promise.resolve();
      this.background.add(work);
      if (vote.state === 'answered') await work;
    });
    await Promise.all(undone);
  }

  /** Releases the holds of an owner that has lost its quorum for good: they only keep other owners out. */
  private abandon(request: ReleaseRequest): void {
    this.repair.stop(request.owner);
    for (const node of this.nodes) this.background.add(this.giveBack(node, request));
  }

  /**
   * Never rejects: a node that does not answer retries by itself, and a hold that is never released ends by its lease.
   * @param silent Whether waiters are not notified. No waiter waits for a hold without a quorum; and an announcement by
   *   each waiter that tried a node which its holder lacks would wake all others, and itself, to try again at once.
   */
  private async giveBack(node: QuorumNode, { name, owner, lease }: ReleaseRequest, silent = false): Promise<void> {
    await node.release({ name, owner, lease, silent }).catch(() => {});
  }

  /** The error if the votes of a quorum do not count. */
  private problemWith({ name, lease }: AcquireRequest, { elapsed }: Stopwatch): LockError | undefined {
    const twins = duplicateServer(this.nodes);
    if (twins) {
      const text = `redLock.nodes has one server twice, as ${twins.join(' and ')}; each node must be a server of its own`;
      return new LockOptionsError(text, { lockName: name, details: { option: 'redLock.nodes', nodes: twins } });
    }
    if (validity(lease, elapsed) > 0) return undefined;
    const text = `A quorum took ${Math.round(elapsed)} ms to grant a lease of ${lease} ms: too little of it is left`;
    return new LockUnavailableError(text, 'refused', false, { lockName: name });
  }
}
