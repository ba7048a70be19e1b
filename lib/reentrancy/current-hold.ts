import { currentRegion } from '../context/owner-context.js';
import type { OwnerContext } from '../context/region.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import { LOCK_FAMILIES } from '../holds/lock-kind.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import { CompositeHold } from '../holds/multi-hold.js';
import { seatName } from './context-lock-state.js';

/**
 * The hold that the running code is under, on one of these connections: of the lock with this name, or the innermost.
 * @param name As callers give it, without the prefix that each connection puts before it.
 */
export const currentHold = (runtimes: readonly LockRuntime[], name: string | undefined): Hold | undefined => {
  for (const region of currentRegion()?.outwards() ?? []) {
    const hold = region.isScope ? heldInScope(runtimes, region, name) : heldBy(runtimes, region, name);
    if (hold) return hold;
  }
  return undefined;
};

const nameOn = ({ defaults }: LockRuntime, name: string): string => defaults.keyPrefix + name;

const heldBy = (
  runtimes: readonly LockRuntime[],
  { hold }: OwnerContext,
  name: string | undefined,
): Hold | undefined => {
  if (hold instanceof GrantedHold) {
    const { runtime } = hold.grant;
    return runtimes.includes(runtime) && (name === undefined || hold.name === nameOn(runtime, name)) ? hold : undefined;
  }
  // By its name, a member is found: each has a region of its own.
  const isOurs = hold instanceof CompositeHold && hold.members.some(({ grant }) => runtimes.includes(grant.runtime));
  return isOurs && name === undefined ? hold : undefined;
};

/** A scope may hold much, and none of it is inside the other. */
const heldInScope = (
  runtimes: readonly LockRuntime[],
  scope: OwnerContext,
  name: string | undefined,
): Hold | undefined => {
  if (name === undefined) return undefined;
  for (const runtime of runtimes) {
    for (const family of LOCK_FAMILIES) {
      const hold = runtime.contextLockStates.find(scope, seatName(family, nameOn(runtime, name)))?.joinableGrant
        ?.latestManualHold;
      if (hold) return hold;
    }
  }
  return undefined;
};
