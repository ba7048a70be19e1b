import { enclosingContexts, type HoldContext, type OwnerContext, type ScopeContext } from '../context/owner-context.js';
import type { GrantServices } from '../holds/grant.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import { LOCK_FAMILIES } from '../holds/lock-kind.js';
import { CompositeHold } from '../holds/multi-hold.js';
import { validateName } from '../keys/lock-name.js';
import { stateName } from './context-lock-state.js';
import type { ContextServices } from './enclosing-holds.js';

/** The limits of names depend on the connection, which is not known here. */
const ANY_LENGTH = { maxBytes: Number.POSITIVE_INFINITY, allowControlCharacters: true };

/**
 * The hold of the callback that the running code is in, on any connection: the one of the lock `name`, or the innermost
 * one, which may cover several locks. Local, without a round trip and without an injected service. Not included are holds
 * that `acquire()` returned, unless the code runs in their `run()`: those of a scope are found by
 * `LockService.currentHold(name)`.
 * @param name As in `acquire(name)`, without the key prefix.
 * @throws LockNameError if the name is invalid.
 *
 * @example
 * import { currentHold } from 'nest-redis-lock';
 *
 * currentHold()?.assertHeld();
 */
export const currentHold = (name?: string): Hold | undefined => {
  if (name !== undefined) validateName(name, ANY_LENGTH);
  for (const context of enclosingContexts()) {
    const hold = context.kind === 'hold' ? heldBy(undefined, context, name) : undefined;
    if (hold) return hold;
  }
  return undefined;
};

/**
 * The hold that the running code is under, on one of these connections: the one of the given lock, or the innermost.
 * @param name As callers give it, without the key prefix of the connection.
 */
export const currentHoldOn = (runtimes: readonly ContextServices[], name: string | undefined): Hold | undefined => {
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

/** @param runtimes The connections; `undefined`: any. */
const heldBy = (
  runtimes: readonly GrantServices[] | undefined,
  { hold }: HoldContext,
  name: string | undefined,
): Hold | undefined => {
  if (hold instanceof GrantedHold) {
    const { runtime } = hold.grant;
    const isOurs = runtimes?.includes(runtime) ?? true;
    return isOurs && (name === undefined || hold.name === nameOn(runtime, name)) ? hold.latest : undefined;
  }
  // A member is found by its own name: each has its own context.
  if (name !== undefined || !(hold instanceof CompositeHold)) return undefined;
  return hold.members.some(({ grant }) => runtimes?.includes(grant.runtime) ?? true) ? hold : undefined;
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
      const hold = runtime.contextLockStates.find(scope, stateName(family, nameOn(runtime, name)))?.joinableGrant?.holds
        .latestManual;
      if (hold) return hold;
    }
  }
  return undefined;
};
