import type { ScopeContext } from '../context/owner-context.js';
import type { GrantPlace } from '../holds/converting/grant-place.js';
import type { Grant } from '../holds/grant.js';
import type { LockFamily } from '../holds/lock-kind.js';
import { type ContextLockStates, stateName } from './context-lock-state.js';

/** The place of one lock's grant in a scope. */
export class ScopePlace implements GrantPlace<Grant> {
  constructor(
    private readonly states: ContextLockStates,
    private readonly scope: ScopeContext,
    private readonly family: LockFamily,
    private readonly name: string,
  ) {}

  onClosed(): void {
    this.states.removeIfIdle(this.scope, this.key);
  }

  inHalf(family: LockFamily): ScopePlace {
    return new ScopePlace(this.states, this.scope, family, this.name);
  }

  put(grant: Grant): void {
    this.states.take(this.scope, this.key).grant = grant;
  }

  private get key(): string {
    return stateName(this.family, this.name);
  }
}
