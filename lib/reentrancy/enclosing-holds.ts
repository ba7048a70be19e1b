import type { Hold } from '../holds/hold.js';
import { currentContext, type OwnerContext } from '../context/owner-context.js';
import type { Grant, GrantServices } from '../holds/grant.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { type LockFamily, LOCK_FAMILIES } from '../holds/lock-kind.js';
import { type ContextLockStates, type ReadWritePairs, stateName } from './context-lock-state.js';
import { CompositeHold } from '../holds/multi-hold.js';

/** Services needed to look up which locks of one connection contexts hold. */
export interface ContextServices extends GrantServices {
  readonly contextLockStates: ContextLockStates;
  readonly readWritePairs: ReadWritePairs;
}

/** A context that holds a lock, and the grant by which it does. */
export interface EnclosingHold {
  readonly context: OwnerContext;
  readonly grant: Grant;
}

/** Looks up one lock in the contexts that enclose the running code. */
export class EnclosingHolds {
  constructor(
    private readonly runtime: ContextServices,
    private readonly name: string,
  ) {}

  /** The innermost enclosing context that holds the lock in this family. */
  covering(family: LockFamily): EnclosingHold | undefined {
    const innermost = currentContext();
    if (!innermost) return undefined;
    for (const context of innermost.outwards()) {
      const grant = this.heldIn(context, family);
      if (grant?.isJoinable) return { context, grant };
    }
    return undefined;
  }

  /** The scope in which the running code acquires locks that no enclosing context holds. */
  scope(): OwnerContext | undefined {
    return currentContext()?.acquiresIn;
  }

  /** The scope of the object that the running call acquires locks for, such as a transaction, if any. */
  beneficiary(): OwnerContext | undefined {
    return currentContext()?.beneficiary;
  }

  /** The grant by which a context holds the lock, also if the context belongs to the other half of the same owner. */
  heldIn(context: OwnerContext, family: LockFamily): Grant | undefined {
    const own = this.ownOf(context, family);
    if (own?.isJoinable) return own;
    const { readWritePairs } = this.runtime;
    const write = family === 'read' && this.ownOf(context, 'write');
    if (write) return readWritePairs.readOf(write);
    const read = family === 'write' && this.ownOf(context, 'read');
    return read ? readWritePairs.writeOf(read) : undefined;
  }

  private ownOf(context: OwnerContext, family: LockFamily): Grant | undefined {
    if (context.isScope)
      return this.runtime.contextLockStates.find(context, stateName(family, this.name))?.joinableGrant;
    const { hold } = context;
    if (!(hold instanceof GrantedHold)) return undefined;
    const { grant } = hold;
    const isOurs = grant.runtime === this.runtime && grant.name === this.name && grant.kind.family === family;
    return isOurs ? grant : undefined;
  }
}

/**
 * The hold that the running code is under, on one of these connections: the one of the given lock, or the innermost.
 * @param name As callers give it, without the key prefix of the connection.
 */
export const currentHold = (runtimes: readonly ContextServices[], name: string | undefined): Hold | undefined => {
  for (const context of currentContext()?.outwards() ?? []) {
    const hold = context.isScope ? heldInScope(runtimes, context, name) : heldBy(runtimes, context, name);
    if (hold) return hold;
  }
  return undefined;
};

const nameOn = ({ defaults }: GrantServices, name: string): string => defaults.keyPrefix + name;

const heldBy = (
  runtimes: readonly GrantServices[],
  { hold }: OwnerContext,
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
  scope: OwnerContext,
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
