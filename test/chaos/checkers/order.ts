import type { Attempt } from '../history/history.js';

/**
 * First come, first served, as far as it can be demanded from outside: who asked so long (`certain` ms) before another
 * that its place in the queue was certain by then, and who waited until it got the lock, gets it before the other.
 */
export const orderFaults = (attempts: readonly Attempt[], certain: number): string[] => {
  const served = attempts.filter(({ granted }) => granted !== undefined);
  const faults: string[] = [];
  for (const [index, early] of served.entries()) {
    for (const late of served.slice(index + 1)) {
      if (late.invoked - early.invoked < certain) continue;
      if ((late.granted ?? 0) < (early.granted ?? 0)) faults.push(`${late.id} overtook ${early.id}`);
    }
  }
  return faults;
};
