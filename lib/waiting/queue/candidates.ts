import type { LinkedList } from '../../linked-list.js';
import { LockUnavailableError } from '../../errors.js';
import type { AttemptResult, AttemptStrategy, Busy, LastOutcome, Take } from '../attempt-strategy.js';
import type { Waiter } from './waiter.js';

/** The outcomes of attempts that were made together and granted nothing, by waiter. */
export type Refusals<Wanted, Got> = ReadonlyMap<Waiter<Wanted, Got>, LastOutcome>;

/** Chooses the waiters of a queue for which the server is asked. */
export class Candidates<Wanted, Got extends object> {
  constructor(
    private readonly waiters: LinkedList<Waiter<Wanted, Got>>,
    private readonly attempts: Pick<AttemptStrategy<Wanted, Got>, 'mayStillSucceed'>,
  ) {}

  /** Whether a waiter may succeed although another attempt had this outcome. */
  mayStillSucceed(wanted: Wanted, outcome: LastOutcome): boolean {
    if (!outcome || outcome instanceof LockUnavailableError) return false;
    return this.attempts.mayStillSucceed?.(wanted, outcome) ?? false;
  }

  /** The next waiter that may still succeed after `outcome`, including waiters that arrived during this round. */
  next(outcome: LastOutcome): Waiter<Wanted, Got> | undefined {
    if (!outcome) return this.waiters.first;
    for (const waiter of this.waiters) if (this.mayStillSucceed(waiter.wanted, outcome)) return waiter;
    return undefined;
  }

  /**
   * `first`, and the waiters behind it up to the first one for which too little is left: it must not be overtaken by
   * those behind it that want less.
   * @param take Takes from what the last grant has left. Absent: the last attempt granted nothing.
   */
  together(first: Waiter<Wanted, Got>, take: Take<Wanted> | undefined): readonly Waiter<Wanted, Got>[] {
    const chosen = [first];
    if (!take?.(first.wanted)) return chosen;
    for (let { next } = first; next && take(next.wanted); { next } = next) chosen.push(next);
    return chosen;
  }

  /**
   * Whether a grant of `wanted` would overtake a waiter that came earlier and was refused, since another client released
   * in between, or got no answer.
   */
  overtakes(wanted: Wanted, earlier: Refusals<Wanted, Got>): boolean {
    for (const [waiter, outcome] of earlier)
      if (this.waiters.has(waiter) && !this.mayStillSucceed(wanted, outcome)) return true;
    return false;
  }
}

/** An attempt that got no answer, or was refused by the server. */
interface Failed {
  readonly error: unknown;
}

/** The contender that makes attempts together. Each answer is given to it in the order of the waiters. */
interface Attempter<Wanted, Got> {
  ask(wanted: Wanted): Promise<AttemptResult<Got>>;
  /** Grants to the waiter. Returns whether it still waited. */
  grant(got: Got, waiter: Waiter<Wanted, Got>): boolean;
  /** Returns the outcome that the other waiters should assume. */
  refused(answer: Busy | Failed): LastOutcome;
  undo(got: Got): void;
}

/** The outcome of attempts that were made together. */
interface TogetherOutcome {
  readonly hasRefused: boolean;
  /** Whether something was given back, which the first waiter can get now. */
  readonly hasUndone: boolean;
}

/**
 * Makes an attempt for each of the waiters at once, on one connection, which keeps their order. No waiter gets what
 * would overtake an earlier one of them.
 */
export const attemptTogether = async <Wanted, Got extends object>(
  waiters: readonly Waiter<Wanted, Got>[],
  candidates: Candidates<Wanted, Got>,
  attempter: Attempter<Wanted, Got>,
): Promise<TogetherOutcome> => {
  // A failure may come while an earlier answer is awaited.
  const answers = waiters.map((waiter) => {
    const result = attempter.ask(waiter.wanted).catch((error: unknown): Failed => ({ error }));
    return { waiter, result };
  });
  const refused = new Map<Waiter<Wanted, Got>, LastOutcome>();
  let hasUndone = false;
  for (const { waiter, result } of answers) {
    const answer = await result;
    if (!('got' in answer)) {
      refused.set(waiter, attempter.refused(answer));
      continue;
    }
    const { got } = answer;
    if (!candidates.overtakes(waiter.wanted, refused) && attempter.grant(got, waiter)) continue;
    attempter.undo(got);
    hasUndone = true;
  }
  return { hasRefused: refused.size > 0, hasUndone };
};
