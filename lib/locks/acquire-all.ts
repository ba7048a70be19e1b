import { isPassing, LockLostError } from '../errors.js';
import type { Aborted, WaitLimit } from '../time/wait-limit.js';
import { mayComeLater, roundPatience } from './round-patience.js';

/** Members that are acquired together or not at all. */
export interface AllOrNothing<Part, Got> {
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
const SHORTEST_PATIENCE_MS = 10;

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
    const patience = inCommonOrder ? Number.POSITIVE_INFINITY : roundPatience(round, SHORTEST_PATIENCE_MS);
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
