import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { WaitLimit } from '../time/wait-limit.js';
import { mayComeLater, roundPatience } from './round-patience.js';

/** Members of which `needed` are enough. */
export interface MajorityVote<Part, Got> {
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
const SHORTEST_PATIENCE_MS = 100;
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
    const outcome = await acquireAtOnce(voting, limit.withMax(roundPatience(round, SHORTEST_PATIENCE_MS)), scheduler);
    if (outcome.got.size >= voting.needed || limit.ended) return outcome;
    const hopeless = [...outcome.failures.values()].filter((error) => !mayComeLater(error)).length;
    if (hopeless > voting.members.length - voting.needed) return outcome;
    if (await limit.endBefore(outcome.givenBack)) return outcome;
  }
};
