import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';

/** A holder's own view of its hold. */
export interface Belief {
  readonly owner: OwnerId;
  /** Milliseconds on the holder's own clock for which `assertHeld()` still passes; 0 if it throws. */
  readonly remaining: number;
}

/**
 * Reads the clock as `assertHeld()` does, but changes nothing. `assertHeld()` may mark the hold as lost. After an upgrade or
 * a downgrade it is that of the new hold. In between it is unknown here which owner the server knows.
 */
class BeliefOfHold implements Belief {
  constructor(private readonly hold: GrantedHold) {}

  /** As the server knows it. */
  get owner(): OwnerId {
    return this.hold.latest.grant.owner;
  }

  get remaining(): number {
    const { latest } = this.hold;
    if (Reflect.get(latest, 'passing') !== undefined) return 0;
    return latest.isHeld ? latest.grant.lease.remaining : 0;
  }
}

/** All holds that the library gives out for one lock are of the same class. */
export const beliefOf = (hold: Hold): Belief => new BeliefOfHold(hold as GrantedHold);
