import { intervalsOf, overlaps } from './checkers/exclusion.js';
import { type Fenced, fencingFaults } from './checkers/fencing.js';
import { leastLead, longestHandOver, longestOverrun, stuckAttempts } from './checkers/liveness.js';
import { orderFaults } from './checkers/order.js';
import type { ChaosCase } from './case.js';
import type { Attempt, History } from './history/history.js';
import { PERMITS } from './load/load.js';

/** The result of one run of a case. */
export interface Verdict {
  readonly acquisitions: number;
  /** How often a release gave a lock to a client that waited. */
  readonly grants: number;
  /** Everything that must not happen. The run passes if it is empty. */
  readonly violations: readonly string[];
  readonly leakedKeys: readonly string[];
  readonly stuckWaiters: number;
  /** The longest hand-over, ms. */
  readonly worstHandOver: number;
  /** The shortest lead of a signal over the end of a lease, ms; `undefined` if no holder with a lease lost it. */
  readonly leastLead: number | undefined;
}

/** Observations outside of the histories. */
export interface Observed {
  readonly leakedKeys: readonly string[];
  readonly grants: number;
  /** Processes that did not end. */
  readonly stuckProcesses: number;
  /** Whether processes were stopped for a time, so that none of their answers came in time. */
  readonly stalled: boolean;
}

const DEFAULT_OVERRUN_MS = 1000;

const byLock = (attempts: readonly Attempt[]): Map<string, Attempt[]> => {
  const locks = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const others = locks.get(attempt.lock);
    if (others) others.push(attempt);
    else locks.set(attempt.lock, [attempt]);
  }
  return locks;
};

const fencedOf = (attempts: readonly Attempt[]): Fenced[] =>
  attempts.flatMap(({ id, fence, invoked, granted }) =>
    fence === undefined || granted === undefined ? [] : [{ id, fence, invoked, granted }],
  );

/** The violations in the history of one lock. */
const faultsOf = (
  lock: string,
  attempts: readonly Attempt[],
  { losesData, isInOrder, untoldFor }: ChaosCase,
): string[] => {
  const capacity = attempts[0]?.mode === 'permit' ? PERMITS : 1;
  const found = fencingFaults(fencedOf(attempts));
  if (!losesData) {
    for (const { at, holders } of overlaps(intervalsOf(attempts, untoldFor), capacity)) {
      found.push(`${lock}: held by ${holders.join(' and ')} at ${at.toFixed(1)}`);
    }
  }
  if (isInOrder && attempts.every(({ kind }) => kind === 'fair')) {
    if (!attempts.some(({ placed }) => placed !== undefined)) found.push(`${lock}: no place in the queue was seen`);
    found.push(...orderFaults(attempts).map((fault) => `${lock}: ${fault}`));
  }
  return found;
};

/** Whether locks passed from client to client as the case expects: without that, it shows nothing. */
const grantFaults = ({ leastGrants = 0, options }: ChaosCase, grants: number): string[] => {
  if (grants < leastGrants) return [`only ${grants} releases gave the lock to a client that waited`];
  if (options?.['handover'] === false && grants > 0) return [`${grants} grants although they are off`];
  return [];
};

/** @param special Violations that the case itself found. */
export const judge = (
  chaos: ChaosCase,
  { attempts, crashes }: History,
  { leakedKeys, grants, stuckProcesses, stalled }: Observed,
  special: readonly string[],
): Verdict => {
  const locks = byLock(attempts);
  const faults = [...locks].flatMap(([lock, some]) => faultsOf(lock, some, chaos));
  const stuck = stuckAttempts(attempts);
  const overrun = longestOverrun(attempts);
  const late = !stalled && overrun > (chaos.overrun ?? DEFAULT_OVERRUN_MS);
  const lead = leastLead(attempts);
  const worstHandOver = Math.max(0, ...[...locks.values()].map(longestHandOver));
  return {
    acquisitions: attempts.filter(({ granted }) => granted !== undefined).length,
    grants,
    violations: [
      ...special,
      ...faults,
      ...crashes.map((crash) => `thrown where nobody waits for it: ${crash}`),
      ...stuck.map(({ id, lock }) => `${id} never heard whether it gets ${lock}`),
      ...leakedKeys.map((key) => `${key} was left behind`),
      ...(stuckProcesses > 0 ? [`${stuckProcesses} process(es) did not come to an end`] : []),
      ...grantFaults(chaos, grants),
      ...(worstHandOver > (chaos.longestHandOver ?? Number.POSITIVE_INFINITY)
        ? [`a lock was free for ${Math.round(worstHandOver)} ms although a client waited for it`]
        : []),
      ...(late ? [`an answer came ${Math.round(overrun)} ms after the wait was over`] : []),
      // A stopped process learns of the loss when it runs again. Until then it cannot act.
      ...(!stalled && lead !== undefined && lead < 0
        ? [`a holder was told ${-lead} ms after its lease could end`]
        : []),
    ],
    leakedKeys,
    stuckWaiters: stuck.length,
    worstHandOver,
    leastLead: lead,
  };
};
