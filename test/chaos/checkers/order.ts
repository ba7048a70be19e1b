import type { Attempt } from '../history/history.js';

/**
 * First come, first served, as far as a test can demand it from outside. A waiter asked so long (`certain` ms) before
 * another that its place in the queue was certain by then. If it kept waiting, it gets the lock before the other.
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
