import { isPassing, LockLostError, LockTimeoutError } from '../errors.js';
import type { Aborted, WaitLimit } from '../time/wait-limit.js';
import type { MonotonicScheduler } from '../time/scheduler.js';

/** The longest wait of a late round, ms. */
const LONGEST_MS = 1500;

/**
 * How long one round of acquiring several locks waits, ms. Doubles with each round, so that a caller that needs many
 * locks gets them in the end. Randomized, so that two callers that took each other's members do not collide again and
 * again: one of them gives up first, and the other gets its members.
 * @param round Counted from 0.
 * @param shortest The wait of the first round, ms.
 */
const roundPatience = (round: number, shortest: number): number =>
  Math.min(LONGEST_MS, shortest * 2 ** round) * (0.5 + Math.random() / 2);

/** Whether a member that was not acquired in one round may be acquired in the next: it is busy, or unavailable now. */
const mayComeLater = (error: unknown): boolean => error instanceof LockTimeoutError || isPassing(error);

/** Members that are acquired together or not at all. */
interface AllOrNothing<Part, Got> {
  /** In acquisition order. */
  readonly members: readonly Part[];
  /**
   * True if every process acquires these members in this order. Then no circular wait is possible, and a caller that
   * holds some members may wait for the rest without a limit per round.
   */
  readonly inCommonOrder: boolean;
  readonly acquire: (part: Part, limit: WaitLimit) => Promise<Got>;
  /** Final step once every member is acquired. If it rejects, all members are released and a new round begins. */
  readonly complete?: (all: ReadonlyMap<Part, Got>) => Promise<void>;
  /** Never rejects: failures are emitted as events. */
  readonly undo: (got: Got) => Promise<void>;
  /** Creates the error to throw if the caller aborts while no member is being acquired. */
  readonly aborted: (end: Aborted) => Error;
}

type RoundResult<Part, Got> =
  | { readonly all: ReadonlyMap<Part, Got> }
  /** `missing` is `undefined` if every member was acquired but `complete` failed. */
  | { readonly missing: Part | undefined; readonly error: unknown; readonly held: readonly Got[] };

/** Wait for one member while others are held, in the first round, ms. */
const SHORTEST_WAIT_MS = 10;

/** Pause before a new round in the same order, ms. */
const PAUSE_MS = 50;

/** A member lost while waiting for the others counts as not acquired; the round can be retried. */
const isWorthAnotherRound = (error: unknown): boolean => error instanceof LockLostError || isPassing(error);

const acquireInTurn = async <Part, Got>(
  { acquire, complete, aborted }: AllOrNothing<Part, Got>,
  parts: readonly Part[],
  limit: WaitLimit,
  patience: number,
): Promise<RoundResult<Part, Got>> => {
  const held = new Map<Part, Got>();
  let missing: Part | undefined;
  try {
    for (missing of parts) {
      const within = held.size === 0 ? limit : limit.withMax(patience);
      held.set(missing, await acquire(missing, within));
    }
    missing = undefined;
    // Once every member is acquired, the end of the wait limit no longer matters; only the caller's abort does.
    const end = complete && (await limit.untimed.endBefore(complete(held)));
    if (end?.cause === 'aborted') throw aborted(end);
    return { all: held };
  } catch (error) {
    return { missing, error, held: [...held.values()] };
  }
};

/**
 * Acquires all members or none, within one limit. If other callers may use another order, a member that is not acquired
 * soon ends the round: all held members are released, and the next round starts with the missing one while holding
 * nothing. So two callers that each hold what the other needs both succeed in the end, and neither blocks others with
 * locks that it cannot use.
 * @returns The acquired members, in order of acquisition.
 * @throws The last error of acquiring the missing member or of `complete`. The held members are then released, or their
 *   release is still running in the background: after the end of the limit the caller is not delayed by it.
 */
export const acquireAll = async <Part, Got>(
  together: AllOrNothing<Part, Got>,
  limit: WaitLimit,
): Promise<ReadonlyMap<Part, Got>> => {
  const { inCommonOrder, undo, aborted } = together;
  let order = together.members;
  for (let round = 0; ; round += 1) {
    const patience = inCommonOrder ? Number.POSITIVE_INFINITY : roundPatience(round, SHORTEST_WAIT_MS);
    const result = await acquireInTurn(together, order, limit, patience);
    if ('all' in result) return result.all;
    const { missing, error, held } = result;
    const givenBack = Promise.all(held.map(undo));
    const helps = missing === undefined ? isWorthAnotherRound(error) : mayComeLater(error);
    const { ended } = limit;
    if (ended?.cause === 'aborted' && helps) throw aborted(ended);
    if (ended || !helps) throw error;
    const again = missing === undefined || inCommonOrder;
    const end = await limit.endBefore(
      again ? givenBack.then(() => limit.scheduler.pause(PAUSE_MS, { keepAlive: true })) : givenBack,
    );
    if (end?.cause === 'aborted') throw aborted(end);
    if (end) throw error;
    if (!again) order = [missing, ...order.filter((part) => part !== missing)];
  }
};

/** Members of which `needed` are enough. */
interface MajorityVote<Part, Got> {
  readonly members: readonly Part[];
  readonly needed: number;
  readonly acquire: (part: Part, limit: WaitLimit) => Promise<Got>;
  /** Never rejects: failures are emitted as events. */
  readonly undo: (got: Got) => Promise<void>;
}

/** Result per member: the acquired lock, or the error. */
export interface VoteResult<Part, Got> {
  readonly got: ReadonlyMap<Part, Got>;
  readonly failures: ReadonlyMap<Part, unknown>;
  /** Resolves when every member acquired in a failed vote is released. */
  readonly givenBack: Promise<unknown>;
}

/** Longest wait for the votes in the first round, ms. */
const SHORTEST_VOTE_MS = 100;
/** Extra time for the remaining members after a majority, ms: as long as the majority took, within these limits. */
const SHORTEST_GRACE_MS = 10;
const LONGEST_GRACE_MS = 100;

/** Asks all members at once until enough are acquired or too many have failed; waits only briefly for the rest. */
const acquireAtOnce = async <Part, Got>(
  { members, needed, acquire, undo }: MajorityVote<Part, Got>,
  limit: WaitLimit,
  scheduler: MonotonicScheduler,
): Promise<VoteResult<Part, Got>> => {
  const [got, failures, stop] = [new Map<Part, Got>(), new Map<Part, unknown>(), new AbortController()];
  const within = limit.withSignal(stop.signal);
  const start = scheduler.now();
  let decided: () => void = () => {};
  const decision = new Promise<void>((resolve) => (decided = resolve));
  const takeOne = async (part: Part): Promise<void> => {
    try {
      const one = await acquire(part, within);
      if (stop.signal.aborted) return void undo(one);
      got.set(part, one);
    } catch (error) {
      if (!stop.signal.aborted) failures.set(part, error);
    }
    if (got.size >= needed || failures.size > members.length - needed) decided();
  };
  const works = Promise.all(members.map(takeOne));
  await decision;
  if (got.size >= needed) {
    const grace = Math.min(LONGEST_GRACE_MS, Math.max(SHORTEST_GRACE_MS, scheduler.now() - start));
    await Promise.race([works, scheduler.pause(grace, { keepAlive: true })]);
  }
  stop.abort();
  const worthless = got.size < needed ? [...got.values()] : [];
  return { got, failures, givenBack: Promise.all(worthless.map(undo)) };
};

/**
 * Acquires at least `needed` members within one limit, and all of them if that takes hardly longer. If too many fail,
 * all are released and another round begins, as long as the limit allows and a retry can help.
 * @returns At least `needed` members; or too few of them after the last round, which are then being released in the
 *   background: after the end of the limit the caller is not delayed by it.
 */
export const acquireMajority = async <Part, Got>(
  voting: MajorityVote<Part, Got>,
  limit: WaitLimit,
  scheduler: MonotonicScheduler,
): Promise<VoteResult<Part, Got>> => {
  for (let round = 0; ; round += 1) {
    const outcome = await acquireAtOnce(voting, limit.withMax(roundPatience(round, SHORTEST_VOTE_MS)), scheduler);
    if (outcome.got.size >= voting.needed || limit.ended) return outcome;
    const hopeless = [...outcome.failures.values()].filter((error) => !mayComeLater(error)).length;
    if (hopeless > voting.members.length - voting.needed) return outcome;
    if (await limit.endBefore(outcome.givenBack)) return outcome;
  }
};
