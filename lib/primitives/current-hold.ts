import { currentRegion } from '../scope/current-region.js';
import type { Region } from '../scope/region.js';
import { GrantedHold } from './granted-hold.js';
import type { Hold } from './hold.js';
import { LOCK_FAMILIES } from './lock-kind.js';
import type { LockRuntime } from './lock-runtime.js';
import { CompositeHold } from './multi-hold.js';
import { seatName } from './seats.js';

/** The hold that the running code is under: of the lock with this full name, or the innermost. */
export const currentHold = (runtime: LockRuntime, name: string | undefined): Hold | undefined => {
  for (const region of currentRegion()?.outwards() ?? []) {
    const hold = region.isScope ? heldInScope(runtime, region, name) : heldBy(runtime, region, name);
    if (hold) return hold;
  }
  return undefined;
};

const heldBy = (runtime: LockRuntime, { hold }: Region, name: string | undefined): Hold | undefined => {
  if (hold instanceof GrantedHold) {
    return hold.grant.runtime === runtime && (name === undefined || hold.name === name) ? hold : undefined;
  }
  // By its name, a member is found: each has a region of its own.
  const isOurs = hold instanceof CompositeHold && hold.members.some(({ grant }) => grant.runtime === runtime);
  return isOurs && name === undefined ? hold : undefined;
};

/** A scope may hold much, and none of it is inside the other. */
const heldInScope = ({ seats }: LockRuntime, scope: Region, name: string | undefined): Hold | undefined => {
  if (name === undefined) return undefined;
  const found = LOCK_FAMILIES.map((family) => seats.find(scope, seatName(family, name))?.usable?.latestLoose);
  return found.find((hold) => hold !== undefined);
};
