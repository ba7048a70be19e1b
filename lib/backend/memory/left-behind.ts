import type { LeaveBehindRequest, LockOperations } from '../lock-operations.js';

/** Leaves a lock behind that is held in memory, where no outcome stays unknown. */
export const leftBehind = async (
  locks: Pick<LockOperations, 'hold'>,
  { name, owner, keep }: LeaveBehindRequest,
): Promise<boolean> => (await locks.hold({ name, owner, count: 1, lease: keep })).outcome === 'held';
