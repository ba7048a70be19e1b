import type { InspectedHolder, InspectedLock } from '../../inspection/inspected-lock.js';
import type { ShownHolder, ShownLock } from './dashboard-snapshot.types.js';

/** Holders and waiters of one lock beyond these are only counted. */
const MOST_HOLDERS = 20;
const MOST_WAITERS = 20;

/** Whether the lock is held or waited for. */
export const isInUse = ({ state, waiting }: InspectedLock): boolean =>
  state === 'held' || state === 'reserved' || waiting.count > 0;

/** A lock as the page shows it. */
export const shownLock = (lock: InspectedLock): ShownLock => {
  const holders = lock.holders.slice(0, MOST_HOLDERS);
  return {
    name: lock.name,
    kind: lock.kind,
    state: lock.state,
    holders: holders.map(shownHolder),
    moreHolders: Math.max(0, lock.holderCount - holders.length),
    waiting: lock.waiting.count,
    order: (lock.waiting.order ?? []).slice(0, MOST_WAITERS).map(({ owner }) => owner),
    counts: countsOf(lock),
    problem: lock.problem,
  };
};

const shownHolder = ({ owner, mode, count, remaining, isThisProcess, record }: InspectedHolder): ShownHolder => ({
  owner,
  mode,
  count,
  remaining,
  isThisProcess,
  ...record,
});

const countsOf = ({ permits, count }: InspectedLock): string | undefined => {
  if (count !== undefined) return count === 1 ? '1 count left' : `${count} counts left`;
  if (permits === undefined) return undefined;
  const { inUse, total, available } = permits;
  if (inUse !== undefined && total !== undefined) return `${inUse} of ${total} permits in use`;
  return available === 1 ? '1 permit available' : `${available} permits available`;
};
