import { enclosingContexts, type HoldContext, type OwnerContext, type ScopeContext } from '../context/owner-context.js';
import type { GrantServices } from '../holds/leased-grant.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import { LOCK_FAMILIES } from '../holds/lock-kind.js';
import { CompositeHold } from '../holds/multi-hold.js';
import { stateName } from './context-lock-state.js';
import type { ContextServices } from './enclosing-holds.js';

/**
 * The hold that the running code is under, on one of these connections: the one of the given lock, or the innermost.
 * @param name As callers give it, without the key prefix of the connection.
 */
export const currentHold = (runtimes: readonly ContextServices[], name: string | undefined): Hold | undefined => {
  for (const context of enclosingContexts()) {
    const hold = holdOf(context, runtimes, name);
    if (hold) return hold;
  }
  return undefined;
};

const holdOf = (
  context: OwnerContext,
  runtimes: readonly ContextServices[],
  name: string | undefined,
): Hold | undefined => {
  if (context.kind === 'hold') return heldBy(runtimes, context, name);
  return context.kind === 'scope' ? heldInScope(runtimes, context, name) : undefined;
};

const nameOn = ({ defaults }: GrantServices, name: string): string => defaults.keyPrefix + name;

const heldBy = (
  runtimes: readonly GrantServices[],
  { hold }: HoldContext,
  name: string | undefined,
): Hold | undefined => {
  if (hold instanceof GrantedHold) {
    const { runtime } = hold.grant;
    return runtimes.includes(runtime) && (name === undefined || hold.name === nameOn(runtime, name)) ? hold : undefined;
  }
  // A member is found by its own name: each has its own context.
  const isOurs = hold instanceof CompositeHold && hold.members.some(({ grant }) => runtimes.includes(grant.runtime));
  return isOurs && name === undefined ? hold : undefined;
};

/** A scope may hold several locks, none nested in another, so without a name there is no result. */
const heldInScope = (
  runtimes: readonly ContextServices[],
  scope: ScopeContext,
  name: string | undefined,
): Hold | undefined => {
  if (name === undefined) return undefined;
  for (const runtime of runtimes) {
    for (const family of LOCK_FAMILIES) {
      const hold = runtime.contextLockStates.find(scope, stateName(family, nameOn(runtime, name)))?.joinableGrant
        ?.latestManualHold;
      if (hold) return hold;
    }
  }
  return undefined;
};
