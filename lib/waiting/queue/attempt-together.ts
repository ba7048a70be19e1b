import type { AttemptResult, Busy, LastOutcome } from '../attempt-strategy.js';
import type { Candidates } from './candidates.js';
import type { Waiter } from './waiter.js';

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
