import { LockDeadlockError } from '../errors.js';
import type { OfLock } from '../events/life-cycle-events.js';
import { cycleText, type DeadlockStep } from '../events/deadlock-step.js';
import type { CycleStep } from './wait-graph.js';

export const stepOf = ({ wait: { method, wants }, holds: { name, owner } }: CycleStep): DeadlockStep => ({
  ...(method !== undefined && { method }),
  holds: name,
  owner,
  waitsFor: wants.name,
});

/** The error of the wait that gives up. */
export const deadlockError = (
  { lockName, template }: OfLock,
  cycle: readonly DeadlockStep[],
  waited: number,
): LockDeadlockError =>
  new LockDeadlockError(
    `Waiting for lock "${lockName}" would not end, because the callers that wait hold what the others wait for: ${cycleText(cycle)}. ` +
      'The first of these gave up, so that the others go on: let its locks be released, then try again; to prevent it, acquire these locks in the same order everywhere',
    { lockName, template, details: { cycle, waitedMs: waited } },
  );
