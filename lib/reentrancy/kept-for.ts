import type { OwnerContext } from '../context/owner-context.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { ContextLockStates } from './context-lock-state.js';

/**
 * Lets later calls for a beneficiary, such as a transaction, re-enter a hold that is kept for it, although the first call
 * joined what its caller held already. Without that they would wait, as a new owner, for the end of the beneficiary, and so
 * for themselves. The caller still comes first: they get in when its region has closed.
 * @param beneficiary Scope of the beneficiary.
 * @param seatName What the scope keeps about the lock, it keeps under this name.
 * @param caller The region whose grant was joined.
 */
export const keptFor = (
  beneficiary: OwnerContext,
  seats: ContextLockStates,
  seatName: string,
  hold: GrantedHold,
  caller: OwnerContext,
): void => {
  const seat = seats.take(beneficiary, seatName);
  if (seat.joinableGrant) return;
  seat.grant = hold.grant;
  void seat.sectionMutex.lock().then((endTurn) => caller.whenClosed(endTurn));
};
