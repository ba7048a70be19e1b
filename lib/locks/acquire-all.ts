import { isPassing, LockLostError, LockTimeoutError } from '../errors.js';
import type { Aborted, WaitLimit } from '../time/wait-limit.js';

/** Several things that are wanted together or not at all. */
export interface AllOrNothing<Part, Got> {
  /** In the order in which they are taken. */
  readonly members: readonly Part[];
  /**
   * Whether everybody takes them in this order. Then nobody waits in a circle, and whoever has some of them may wait
   * for the rest as long as it takes.
   */
  readonly inCommonOrder: boolean;
  readonly acquire: (part: Part, limit: WaitLimit) => Promise<Got>;
  /** What remains to be done when everything is there; where it fails, everything is given back, and begun again. */
  readonly complete?: (all: ReadonlyMap<Part, Got>) => Promise<void>;
  /** Never rejects: what goes wrong is an event. */
  readonly undo: (got: Got) => Promise<void>;
  /** What to throw where the caller ends the wait while no part is being taken. */
  readonly aborted: (end: Aborted) => Error;
}

type RoundResult<Part, Got> =
  | { readonly all: ReadonlyMap<Part, Got> }
  /** `missing` is `undefined` where everything came, but could not be completed. */
  | { readonly missing: Part | undefined; readonly error: unknown; readonly held: readonly Got[] };

/** What a first and what a late round waits for a part while it holds others, ms. */
const SHORTEST_PATIENCE_MS = 10;
const LONGEST_PATIENCE_MS = 1500;

/**
 * Longer with each round, so that somebody who needs much gets it at last; by chance, so that two who took each other's
 * parts do not meet again and again.
 */
const patienceIn = (round: number): number =>
  Math.min(LONGEST_PATIENCE_MS, SHORTEST_PATIENCE_MS * 2 ** round) * (0.5 + Math.random() / 2);

/** Before everything is begun again in the same order, ms. */
const PAUSE_MS = 50;

/** That a part could not be had by now says nothing about later. */
const mayComeLater = (error: unknown): boolean => error instanceof LockTimeoutError || isPassing(error);

/** What had come, but was lost while the rest was waited for, is as if it had never come. */
const mayLastNextTime = (error: unknown): boolean => error instanceof LockLostError || isPassing(error);

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
    // What has come is had, also where the time is over by now; only the caller can make it worthless.
    const end = complete && (await limit.untimed.endBefore(complete(held)));
    if (end?.cause === 'aborted') throw aborted(end);
    return { all: held };
  } catch (error) {
    return { missing, error, held: [...held.values()] };
  }
};

/**
 * Takes all or nothing, within one limit. Where others may take the same parts in another order, a part that does not
 * come soon ends the round: everything is given back, and the next round begins by waiting for that part with nothing
 * in hand. So two who took what the other needs both get through, and neither keeps others from what it cannot use.
 * @returns What was got, in the order in which it was.
 * @throws What taking the missing part, or completing, threw last. Nothing is held any more by then, or it is being given
 *   back in the background: at the end of the limit nobody waits for that.
 */
export const acquireAll = async <Part, Got>(
  together: AllOrNothing<Part, Got>,
  limit: WaitLimit,
): Promise<ReadonlyMap<Part, Got>> => {
  const { inCommonOrder, undo, aborted } = together;
  let order = together.members;
  for (let round = 0; ; round += 1) {
    const patience = inCommonOrder ? Number.POSITIVE_INFINITY : patienceIn(round);
    const result = await acquireInTurn(together, order, limit, patience);
    if ('all' in result) return result.all;
    const { missing, error, held } = result;
    const givenBack = Promise.all(held.map(undo));
    const helps = missing === undefined ? mayLastNextTime(error) : mayComeLater(error);
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
