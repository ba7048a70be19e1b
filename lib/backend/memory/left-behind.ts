import type { LeaveBehindRequest, LockOperations } from '../lock-operations.js';

/** Leaves a lock in memory behind. No outcome stays unknown there, so nothing is retried. */
export const leftBehind = async (
  locks: Pick<LockOperations, 'hold'>,
  { name, owner, keep, silent }: LeaveBehindRequest,
): Promise<boolean> =>
  (await locks.hold({ name, owner, count: 1, lease: keep, silent, isLeft: true })).outcome === 'held';
