import { Grant } from '../holds/grant.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { GrantServices } from '../holds/leased-grant.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { AcquireContext } from '../waiting/acquirer.js';
import type { Acquired } from '../waiting/lock-attempts.js';

/** A request for a lock, and the hold that it leads to. */
export interface Admission extends AcquireContext, AcquireTerms {
  readonly lifetime: HoldLifetime;
  readonly method: string | undefined;
  /** Called when the last hold of the grant has left. */
  readonly onClosed: (() => void) | undefined;
}

/** Makes the grant and its first hold of what was acquired. There may be many waiters: it captures nothing more. */
export const admit =
  (runtime: GrantServices, kind: LockKind, asked: Admission) =>
  (acquired: Acquired): GrantedHold => {
    const grant = new Grant(runtime, kind, asked.name, acquired, asked.method, asked.onClosed);
    const hold = new GrantedHold(grant, asked.lifetime, asked.limit.waited);
    grant.addFirstHold(hold, asked.lease);
    return hold;
  };
