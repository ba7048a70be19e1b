import { currentContext, enclosingContexts, type OwnerContext } from '../context/owner-context.js';
import type { HeldLock, WantedLock } from '../deadlock/blocked-hold.js';
import type { DeadlockWatch } from '../deadlock/deadlock-watch.js';
import type { LockOrder, OrderedLock } from '../deadlock/lock-order.js';
import type { NestedAcquisition } from '../deadlock/watched-wait.js';
import type { LockOrderError } from '../errors.js';
import type { OfLock } from '../events/life-cycle-events.js';
import type { Grant } from '../holds/grant.js';
import { lockFields } from '../holds/hold-events.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { LockKind } from '../holds/lock-kind.js';
import type { WaitGuard, WaitLimit } from '../time/wait-limit.js';
import type { Request } from './requested-hold.js';
import type { ContextServices } from './enclosing-holds.js';

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
