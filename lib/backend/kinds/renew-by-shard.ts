import { LockError, LockUnavailableError } from '../../errors.js';
import type { Renewal, RenewOutcome } from '../lock-operations.js';

type Renew = (some: readonly Renewal[]) => Promise<RenewOutcome>;

/** The error for a lock if not all of its keys could be reached. */
export const tornApart = (name: string): LockUnavailableError =>
  new LockUnavailableError('The keys of a lock are on two servers while their slot moves', 'unknown', false, {
    lockName: name,
  });

/** Renews one by one the locks that could not be renewed together. */
export const renewEach = async (
  renewals: readonly Renewal[],
  renew: (one: Renewal) => Promise<RenewOutcome>,
): Promise<RenewOutcome> => {
  const places = new Map(renewals.map((renewal, index) => [renewal, index]));
  return renewByShard(
    renewals,
    (renewal) => places.get(renewal) ?? 0,
    ([one]) => {
      if (!one) throw new TypeError('Nothing was to be renewed');
      return renew(one);
    },
  );
};

/**
 * Renews in one command the locks of one shard. A shard that cannot answer does not keep the others from being renewed:
 * its holds are reported as unknown, with the reason in the outcome.
 */
export const renewByShard = async (
  renewals: readonly Renewal[],
  shardOf: (renewal: Renewal) => number,
  renew: Renew,
): Promise<RenewOutcome> => {
  const shards = new Map<number, Renewal[]>();
  for (const renewal of renewals) {
    const shard = shardOf(renewal);
    const others = shards.get(shard);
    if (others) others.push(renewal);
    else shards.set(shard, [renewal]);
  }
  if (shards.size < 2) return renew(renewals);
  const held = new Map<Renewal, boolean | undefined>();
  const outcomes: RenewOutcome[] = [];
  const failures: LockError[] = [];
  const renewShard = async (some: readonly Renewal[]): Promise<void> => {
    try {
      const outcome = await renew(some);
      outcomes.push(outcome);
      some.forEach((renewal, index) => held.set(renewal, outcome.held[index]));
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      failures.push(error);
    }
  };
  await Promise.all([...shards.values()].map(renewShard));
  const [failure] = failures;
  // The earliest command counts: too early for the other shards, and so safe.
  const [first] = outcomes.map(({ sent }) => sent).toSorted((a, b) => a.startedAt - b.startedAt);
  if (!first) throw failure ?? new TypeError('Nothing was renewed');
  return {
    sent: first,
    held: renewals.map((renewal) => held.get(renewal)),
    ...(failure && { failure }),
  };
};
