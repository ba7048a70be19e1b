import {
  currentContext,
  currentScope,
  enclosingContexts,
  type HoldingContext,
  type ScopeContext,
} from '../context/owner-context.js';
import type { Grant, GrantServices } from '../holds/grant.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { LockFamily } from '../holds/lock-kind.js';
import { type ContextLockStates, type ReadWritePairs, stateName } from './context-lock-state.js';

/** Services needed to look up which locks of one connection contexts hold. */
export interface ContextServices extends GrantServices {
  readonly contextLockStates: ContextLockStates;
  readonly readWritePairs: ReadWritePairs;
}

/** A context that holds a lock, and the grant by which it does. */
interface EnclosingHold {
  readonly context: HoldingContext;
  readonly grant: Grant;
}

/** As whom code acquires a lock that it does not hold. */
type NewHolder =
  /** As the writer, which may read as well: the code runs under its write hold. */
  | ({ readonly as: 'writer' } & EnclosingHold)
  /** As the owner of all that is acquired in the scope. */
  | { readonly as: 'scope'; readonly scope: ScopeContext }
  | { readonly as: 'new-owner' };

/** As whom code acquires a lock: if it holds it, as that owner. */
export type Holder = ({ readonly as: 'holder' } & EnclosingHold) | NewHolder;

const NEW_OWNER: NewHolder = { as: 'new-owner' };

/** Looks up one lock in the contexts that enclose the running code. */
export class EnclosingHolds {
  constructor(
    private readonly runtime: ContextServices,
    private readonly name: string,
  ) {}

  /**
   * As whom the running code acquires the lock; the first that applies:
   *
   * - a context holds it: as its owner, with one hold more;
   * - it is to be read, and a hold of the code writes it: as the writer;
   * - the code is in a scope: as the owner of the scope, which may be a writer, too;
   * - otherwise as a new owner.
   */
  holder(family: LockFamily): Holder {
    if (!currentContext()) return NEW_OWNER;
    const held = this.covering(family);
    return held ? { as: 'holder', ...held } : this.newHolder(family);
  }

  /** As {@link holder}, for code that could not join what a context held, because that has just ended. */
  newHolder(family: LockFamily): NewHolder {
    const written = this.writing(family);
    if (written?.context.kind === 'hold') return { as: 'writer', ...written };
    const scope = this.scope(family);
    return scope ? { as: 'scope', scope } : NEW_OWNER;
  }

  /**
   * The scope that new grants belong to: the one that holds the lock, or the half that allows the other; otherwise the
   * one that locks are acquired in. Calls for a transaction are inside two scopes: their own and that of the transaction.
   */
  scope(family: LockFamily): ScopeContext | undefined {
    const scope = currentScope();
    if (!scope) return undefined;
    const held = (this.covering(family) ?? this.writing(family))?.context;
    return held?.kind === 'scope' ? held : scope;
  }

  /** The innermost enclosing context that holds the lock in this family. */
  covering(family: LockFamily): EnclosingHold | undefined {
    if (!currentContext()) return undefined;
    for (const context of enclosingContexts()) {
      if (context.kind !== 'hold' && context.kind !== 'scope') continue;
      const grant = this.heldIn(context, family);
      if (grant?.isJoinable) return { context, grant };
    }
    return undefined;
  }

  /** The innermost enclosing context that writes, for code that is about to read. */
  writing(family: LockFamily): EnclosingHold | undefined {
    return family === 'read' ? this.covering('write') : undefined;
  }

  /** The grant by which the code reads what it is about to write: it would wait for itself. A lost one does not count. */
  reading(family: LockFamily): Grant | undefined {
    const read = family === 'write' ? this.covering('read')?.grant : undefined;
    return read?.isLost === true ? undefined : read;
  }

  /** The grant by which a context holds the lock, also if the context belongs to the other half of the same owner. */
  heldIn(context: HoldingContext, family: LockFamily): Grant | undefined {
    const own = this.ownOf(context, family);
    if (own?.isJoinable) return own;
    const { readWritePairs } = this.runtime;
    const write = family === 'read' && this.ownOf(context, 'write');
    if (write) return readWritePairs.readOf(write);
    const read = family === 'write' && this.ownOf(context, 'read');
    return read ? readWritePairs.writeOf(read) : undefined;
  }

  private ownOf(context: HoldingContext, family: LockFamily): Grant | undefined {
    if (context.kind === 'scope')
      return this.runtime.contextLockStates.find(context, stateName(family, this.name))?.joinableGrant;
    const { hold } = context;
    if (!(hold instanceof GrantedHold)) return undefined;
    const { grant } = hold.latest;
    const isOurs = grant.runtime === this.runtime && grant.name === this.name && grant.kind.family === family;
    return isOurs ? grant : undefined;
  }
}
