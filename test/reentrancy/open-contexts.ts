import { HoldContext, type OwnerContext, ScopeContext } from '../../lib/context/owner-context.js';
import { ContextLockStates, ReadWritePairs, stateName } from '../../lib/reentrancy/context-lock-state.js';
import { type ContextServices, EnclosingHolds } from '../../lib/reentrancy/enclosing-holds.js';
import { type ConnectionOptions, grantOn, type GrantOptions, openConnection } from '../holds/open-grant.js';

/** One connection, with the states of its contexts. */
export const openContexts = (options: ConnectionOptions = {}) => {
  const { clock, lock, services } = openConnection(options);
  const contextLockStates = new ContextLockStates();
  const readWritePairs = new ReadWritePairs();
  const runtime: ContextServices = { ...services, contextLockStates, readWritePairs };
  const open = (grantOptions: GrantOptions = {}) => grantOn(runtime, lock, grantOptions);
  /** A context whose callback runs under the first hold of a new grant. */
  const region = (grantOptions: GrantOptions = {}, outer?: OwnerContext) => {
    const { grant, first } = open(grantOptions);
    return { grant, first, context: new HoldContext(first, outer) };
  };
  /** Makes a scope hold a new grant. */
  const holdIn = (scope: ScopeContext, grantOptions: GrantOptions = {}) => {
    const opened = open(grantOptions);
    const { family = 'exclusive', name = 'n' } = grantOptions;
    contextLockStates.take(scope, stateName(family, name)).grant = opened.grant;
    return opened;
  };
  const enclosing = (name = 'n'): EnclosingHolds => new EnclosingHolds(runtime, name);
  return { clock, lock, runtime, contextLockStates, readWritePairs, open, region, holdIn, enclosing };
};

export const newScope = (outer?: OwnerContext): ScopeContext => new ScopeContext(outer);
