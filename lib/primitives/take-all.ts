import { isPassing, LockLostError, LockTimeoutError } from '../errors.js';
import type { WaitLimit } from '../time/wait-limit.js';

/** Several things that are wanted together or not at all. */
export interface Together<Part, Got> {
  /** In the order in which they are taken. */
  readonly parts: readonly Part[];
  /**
   * Whether everybody takes them in this order. Then nobody waits in a circle, and whoever has some of them may wait
   * for the rest as long as it takes.
   */
  readonly inCommonOrder: boolean;
  readonly take: (part: Part, limit: WaitLimit) => Promise<Got>;
  /** What remains to be done when everything is there; where it fails, everything is given back, and begun again. */
  readonly complete?: (all: ReadonlyMap<Part, Got>) => Promise<void>;
  /** Never rejects: what goes wrong is an event. */
  readonly giveBack: (got: Got) => Promise<void>;
}

type Round<Part, Got> =
  | { readonly all: ReadonlyMap<Part, Got> }
  /** `missing` is `undefined` where everything came, but could not be completed. */
  | { readonly missing: Part | undefined; readonly error: unknown };

/** What a first and what a late round waits for a part while it holds others, ms. */
const SHORTEST_PATIENCE_MS = 50;
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

/** Resolves after `ms`, or when the limit ends. */
const pause = (limit: WaitLimit, ms: number): Promise<unknown> =>
  new Promise((resolve) => void limit.endingWithin(ms).watch({ onEnd: resolve }));

const takeInTurn = async <Part, Got>(
  { take, complete, giveBack }: Together<Part, Got>,
  parts: readonly Part[],
  limit: WaitLimit,
  patience: number,
): Promise<Round<Part, Got>> => {
  const held = new Map<Part, Got>();
  let missing: Part | undefined;
  try {
    for (missing of parts) {
      const within = held.size === 0 ? limit : limit.endingWithin(patience);
      held.set(missing, await take(missing, within));
    }
    missing = undefined;
    await complete?.(held);
    return { all: held };
  } catch (error) {
    await Promise.all([...held.values()].map(giveBack));
    return { missing, error };
  }
};

/**
 * Takes all or nothing, within one limit. Where others may take the same parts in another order, a part that does not
 * come soon ends the round: everything is given back, and the next round begins by waiting for that part with nothing
 * in hand. So two who took what the other needs both get through, and neither keeps others from what it cannot use.
 * @returns What was got, in the order in which it was.
 * @throws What taking the missing part, or completing, threw last, with nothing held any more.
 */
export const takeAll = async <Part, Got>(
  together: Together<Part, Got>,
  limit: WaitLimit,
): Promise<ReadonlyMap<Part, Got>> => {
  let order = together.parts;
  for (let round = 0; ; round += 1) {
    const patience = together.inCommonOrder ? Number.POSITIVE_INFINITY : patienceIn(round);
    const result = await takeInTurn(together, order, limit, patience);
    if ('all' in result) return result.all;
    const { missing, error } = result;
    const helps = missing === undefined ? mayLastNextTime(error) : mayComeLater(error);
    if (limit.ended || !helps) throw error;
    if (missing === undefined || together.inCommonOrder) await pause(limit, PAUSE_MS);
    else order = [missing, ...order.filter((part) => part !== missing)];
  }
};
