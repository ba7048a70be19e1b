import type { GrantPlace } from '../holds/converting/grant-place.js';
import { Grant, type GrantServices } from '../holds/grant.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { type GrantOrigin, lockFields } from '../holds/hold-events.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { WaitGuard, WaitLimit } from '../time/wait-limit.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { AcquireContext } from '../waiting/acquirer.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { isObserved, ObservedAcquisition, type Taken } from '../waiting/observed-acquisition.js';
import { currentContext, enclosingContexts, type OwnerContext } from '../context/owner-context.js';
import type { HeldLock, WantedLock } from '../deadlock/blocked-hold.js';
import type { DeadlockWatch } from '../deadlock/deadlock-watch.js';
import type { LockOrder, OrderedLock } from '../deadlock/lock-order.js';
import type { NestedAcquisition } from '../deadlock/watched-wait.js';
import type { LockOrderError } from '../errors.js';
import type { OfLock } from '../events/life-cycle-events.js';
import type { ContextServices } from './enclosing-holds.js';

/** A caller's request for a lock. */
export interface Request extends AcquireContext, Pick<AcquireTerms, 'lease'> {
  /** With the note of the caller, if there is one. */
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
  ofLock: GrantOrigin,
  { lease, limit, note }: AcquireTerms,
  acquiredAt: string | undefined,
): Request => {
  const { events } = runtime;
  // Most holds have none, and share the origin of their lock.
  const origin = note === undefined ? ofLock : { ...ofLock, note };
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

/** Services that look at the order in which code acquires locks. */
export interface NestingServices extends ContextServices {
  /** Absent: deadlocks are not looked for. */
  readonly deadlocks?: DeadlockWatch | undefined;
  /** Absent: the order of locks is not checked. */
  readonly lockOrder?: LockOrder | undefined;
}

/** The grants of this connection that the code of a context keeps from ending until it ends itself. */
const grantsOf = (runtime: ContextServices, from: OwnerContext): ReadonlySet<Grant> => {
  const grants = new Set<Grant>();
  for (const context of enclosingContexts(from)) {
    if (context.kind === 'scope') for (const grant of runtime.contextLockStates.keptBy(context)) grants.add(grant);
    if (context.kind === 'hold' && context.hold instanceof GrantedHold) grants.add(context.hold.latest.grant);
  }
  for (const grant of grants) if (grant.runtime !== runtime || grant.isLost || !grant.isJoinable) grants.delete(grant);
  return grants;
};

const heldLocks = (runtime: ContextServices, from: OwnerContext): readonly HeldLock[] =>
  [...grantsOf(runtime, from)].map(({ kind: { family }, name, owner }) => ({ family, name, owner }));

const orderedLocks = (runtime: ContextServices, from: OwnerContext): readonly OrderedLock[] =>
  [...grantsOf(runtime, from)].map(({ kind: { family }, name, origin }) => ({
    family,
    name,
    template: origin?.template,
  }));

const endedWith = (error: LockOrderError): WaitGuard => ({
  ended: AbortSignal.abort(error),
  onWaiting: () => {},
  onOver: () => {},
});

/** An acquisition by code that may hold locks. One object without closures: it is made for each, and hardly ever asked. */
class NestedCall implements NestedAcquisition {
  constructor(
    private readonly runtime: ContextServices,
    private readonly kind: LockKind,
    private readonly request: Request,
    private readonly context: OwnerContext,
  ) {}

  get lock(): OfLock {
    return lockFields(this.runtime, this.kind, this.request.name, this.request.origin);
  }

  get wants(): WantedLock {
    return { family: this.kind.family, name: this.request.name, limit: this.kind.limit ?? 1 };
  }

  get startedAt(): number {
    return this.request.limit.startedAt;
  }

  held(): readonly HeldLock[] {
    return heldLocks(this.runtime, this.context);
  }
}

/** The innermost context, if one of those around the code may hold locks: that of a request alone does not. */
const holdingContext = (): OwnerContext | undefined => {
  for (const { kind } of enclosingContexts()) if (kind === 'hold' || kind === 'scope') return currentContext();
  return undefined;
};

/**
 * The limit of a wait as a new owner. If the code may hold other locks, it is watched for deadlocks. If their order is
 * wrong, it has ended with that error before it begins.
 */
export const nestedLimit = (runtime: NestingServices, kind: LockKind, request: Request): WaitLimit => {
  const { name, origin, limit } = request;
  // One attempt waits for nothing.
  const context = limit.wait === 0 ? undefined : currentContext() && holdingContext();
  if (!context) return limit;
  const { deadlocks, lockOrder } = runtime;
  const { template, method } = origin;
  const refused = lockOrder?.check(orderedLocks(runtime, context), { family: kind.family, name, template }, method);
  if (refused) return limit.withGuard(endedWith(refused));
  return deadlocks ? limit.withGuard(deadlocks.guard(new NestedCall(runtime, kind, request, context))) : limit;
};
