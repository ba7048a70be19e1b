import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';

/** A holder's own view of its hold. */
export interface Belief {
  readonly owner: OwnerId;
  /** Milliseconds on the holder's own clock for which `assertHeld()` still passes; 0 if it throws. */
  readonly remaining: number;
}

/** Reads the clock as `assertHeld()` does, but changes nothing. `assertHeld()` may mark the hold as lost. */
class BeliefOfHold implements Belief {
  constructor(private readonly hold: GrantedHold) {}

  get owner(): OwnerId {
    return this.hold.owner;
  }

  get remaining(): number {
    return this.hold.isHeld ? this.hold.grant.lease.remaining : 0;
  }
}

/** All holds that the library gives out for one lock are of the same class. */
export const beliefOf = (hold: Hold): Belief => new BeliefOfHold(hold as GrantedHold);
