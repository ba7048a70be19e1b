import type { GrantPlace } from '../holds/converting/grant-place.js';
import { Grant, type GrantServices } from '../holds/grant.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { type GrantOrigin, lockFields } from '../holds/hold-events.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { WaitLimit } from '../time/wait-limit.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { AcquireContext } from '../waiting/acquirer.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { isObserved, ObservedAcquisition, type Taken } from '../waiting/observed-acquisition.js';

/** A caller's request for a lock. */
export interface Request extends AcquireContext, AcquireTerms {
  readonly origin: GrantOrigin;
  readonly observer: ObservedAcquisition | undefined;
  /** The line of code that acquires it, if that is of interest. */
  readonly acquiredAt: string | undefined;
}

/** A request for a lock, and the hold that it leads to. */
interface RequestedHold extends Request {
  readonly lifetime: HoldLifetime;
  /** Where the grant will be found in a scope. */
  readonly place: GrantPlace<Grant> | undefined;
}

export const requestFor = (
  runtime: GrantServices,
  kind: LockKind,
  name: string,
  origin: GrantOrigin,
  { lease, limit }: AcquireTerms,
  acquiredAt: string | undefined,
): Request => {
  const { events } = runtime;
  const observer = isObserved(events)
    ? new ObservedAcquisition(events, lockFields(runtime, kind, name, origin), limit)
    : undefined;
  return { what: kind.what ?? 'Lock', name, template: origin.template, lease, limit, origin, observer, acquiredAt };
};

/** @param limit The limit of the wait: that of the request, or one that a shutdown ends as well. */
export const requestedHold = (
  { what, name, template, lease, origin, observer, acquiredAt }: Request,
  limit: WaitLimit,
  lifetime: HoldLifetime,
  place: GrantPlace<Grant> | undefined,
): RequestedHold => ({ what, name, template, lease, limit, origin, observer, acquiredAt, lifetime, place });

/** Makes the grant and its first hold of what was acquired. There may be many waiters: it captures nothing more. */
export const admit = (
  runtime: GrantServices,
  kind: LockKind,
  asked: RequestedHold,
): ((acquired: Acquired) => GrantedHold) =>
  runtime.grants.forCaller((acquired) => {
    const grant = new Grant(runtime, kind, asked.name, acquired, asked.origin, asked.place);
    const hold = new GrantedHold(grant, asked.lifetime, asked.limit.waited, asked.acquiredAt);
    grant.addFirstHold(hold, asked.lease);
    return hold;
  });

/** The hold that an acquisition led to, for its listeners. */
export const takenAs = ({ grant, owner, waited }: GrantedHold): readonly [Taken] => [{ hold: grant, owner, waited }];
