import type { Attempt } from '../history/history.js';

/** First come, first served: a waiter that had a place before another one asked gets the lock before it. */
export const orderFaults = (attempts: readonly Attempt[]): string[] => {
  const served = attempts.filter(({ granted }) => granted !== undefined);
  const faults: string[] = [];
  for (const [index, early] of served.entries()) {
    for (const late of served.slice(index + 1)) {
      if (early.placed === undefined || late.invoked < early.placed) continue;
      if ((late.granted ?? 0) < (early.granted ?? 0)) faults.push(`${late.id} overtook ${early.id}`);
    }
  }
  return faults;
};
