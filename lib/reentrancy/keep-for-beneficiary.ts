import type { OwnerContext, ScopeContext } from '../context/owner-context.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import { type ContextLockStates, stateName } from './context-lock-state.js';

/**
 * Lets later calls for a beneficiary, such as a transaction, re-enter a hold that is kept for it although the first
 * call joined a grant of its caller. Otherwise they would wait, as a new owner, for the end of the beneficiary, and so
 * for themselves. The caller comes first: later calls get in when its context has closed.
 * @param beneficiary Scope of the beneficiary.
 * @param caller The context whose grant was joined.
 */
export const keepForBeneficiary = (
  beneficiary: ScopeContext,
  states: ContextLockStates,
  hold: GrantedHold,
  caller: OwnerContext,
): void => {
  const { name, kind } = hold.grant;
  const state = states.take(beneficiary, stateName(kind.family, name));
  if (state.joinableGrant) return;
  state.grant = hold.grant;
  void state.sectionMutex.lock().then((unlock) => caller.whenClosed(unlock));
};
