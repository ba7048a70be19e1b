import { isPassing, LockTimeoutError } from '../errors.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { WaitLimit } from '../time/wait-limit.js';

/** Several things of which some number is enough. */
export interface MajorityVote<Part, Got> {
  readonly members: readonly Part[];
  /** How many are enough. */
  readonly needed: number;
  readonly acquire: (part: Part, limit: WaitLimit) => Promise<Got>;
  /** Never rejects: what goes wrong is an event. */
  readonly undo: (got: Got) => Promise<void>;
}

/** What became of each part: what was got, or why it was not. */
export interface VoteResult<Part, Got> {
  readonly got: ReadonlyMap<Part, Got>;
  readonly failures: ReadonlyMap<Part, unknown>;
  /** Resolves when nothing of what was too little is held any more. */
  readonly givenBack: Promise<unknown>;
}

/** What a first and what a late round waits for its votes, ms. */
const SHORTEST_PATIENCE_MS = 100;
const LONGEST_PATIENCE_MS = 1500;
/** How long the others get when enough have come, ms: as long again as those took, within limits. */
const SHORTEST_GRACE_MS = 10;
const LONGEST_GRACE_MS = 100;

/** By chance, so that of several who each got too little one gives up first, and another gets what it had. */
const patienceIn = (round: number): number =>
  Math.min(LONGEST_PATIENCE_MS, SHORTEST_PATIENCE_MS * 2 ** round) * (0.5 + Math.random() / 2);

const mayComeLater = (error: unknown): boolean => error instanceof LockTimeoutError || isPassing(error);

/** Asks for all parts at once, until enough have come or too many have failed; nobody waits for the others long. */
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
 * Takes as many parts as are needed, and all of them where that costs nothing, within one limit. Where too many
 * fail, all is given back and tried again, as long as the limit allows and trying again can help.
 * @returns Enough parts; or too few of them after the last try, which are being given back in the background: at the end
 *   of the limit nobody waits for that.
 */
export const acquireMajority = async <Part, Got>(
  voting: MajorityVote<Part, Got>,
  limit: WaitLimit,
  scheduler: MonotonicScheduler,
): Promise<VoteResult<Part, Got>> => {
  for (let round = 0; ; round += 1) {
    const outcome = await acquireAtOnce(voting, limit.withMax(patienceIn(round)), scheduler);
    if (outcome.got.size >= voting.needed || limit.ended) return outcome;
    const hopeless = [...outcome.failures.values()].filter((error) => !mayComeLater(error)).length;
    if (hopeless > voting.members.length - voting.needed) return outcome;
    if (await limit.endBefore(outcome.givenBack)) return outcome;
  }
};
