import type { OwnerContext, ScopeContext } from '../context/owner-context.js';
import { AsyncMutex } from '../concurrency.js';
import type { Grant } from '../holds/grant.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { LockFamily } from '../holds/lock-kind.js';
import type { GrantPlace } from '../holds/converting/grant-place.js';

/** The key under which contexts store the state of a lock. */
export const stateName = (family: LockFamily, name: string): string => `${family} ${name}`;

/** The state of one lock in one context. */
export class ContextLockState {
  /** Serializes callbacks that lock inside the context. */
  readonly sectionMutex: AsyncMutex;
  /** Serializes acquisitions inside a scope, so that the second joins the grant made by the first. */
  readonly acquireMutex: AsyncMutex;
  /** The scope's grant. */
  grant: Grant | undefined;
  /** The holds that code of the context can release without having them, by `lock.release()`. */
  private manual: readonly GrantedHold[] = [];

  constructor(onIdle: () => void) {
    this.sectionMutex = new AsyncMutex(onIdle);
    this.acquireMutex = new AsyncMutex(onIdle);
  }

  /** The scope's grant, if it can be joined. A lost lock may be acquired anew, as by a Java thread. */
  get joinableGrant(): Grant | undefined {
    return this.grant?.isJoinable && !this.grant.isLost ? this.grant : undefined;
  }

  get isIdle(): boolean {
    const isUnused = !this.joinableGrant && this.sectionMutex.isIdle && this.acquireMutex.isIdle;
    return isUnused && this.manual.every(({ latest }) => latest.isReleased);
  }

  keep(hold: GrantedHold): void {
    this.manual = [...this.manual.filter(({ latest }) => !latest.isReleased), hold];
  }

  dropHolds(): void {
    this.manual = [];
  }
}

/** The lock states of all contexts, for the locks of one connection. Idle states are removed. */
export class ContextLockStates {
  private readonly byContext = new WeakMap<OwnerContext, Map<string, ContextLockState>>();
  /** Contexts that have kept a hold. */
  private readonly keeping = new WeakSet<OwnerContext>();

  find(context: OwnerContext, name: string): ContextLockState | undefined {
    return this.byContext.get(context)?.get(name);
  }

  /**
   * The grants that a context keeps for all code in it. Not those of a section that runs in it: other code of the context
   * does not keep that from its end.
   */
  *keptBy(context: OwnerContext): Generator<Grant> {
    for (const { joinableGrant, sectionMutex } of this.byContext.get(context)?.values() ?? [])
      if (joinableGrant && (joinableGrant.holds.latestManual || sectionMutex.isIdle)) yield joinableGrant;
  }

  take(context: OwnerContext, name: string): ContextLockState {
    const found = this.find(context, name);
    if (found) return found;
    const states = this.byContext.get(context) ?? new Map<string, ContextLockState>();
    this.byContext.set(context, states);
    const state = new ContextLockState(() => this.removeIfIdle(context, name));
    states.set(name, state);
    return state;
  }

  /**
   * Keeps a hold until its release, or as long as its context is open: `lock.release()` finds it there, so that code need
   * not have it, and it is not forgotten before the context closes.
   */
  keep(context: OwnerContext, name: string, hold: GrantedHold): GrantedHold {
    if (!this.keeping.has(context)) {
      this.keeping.add(context);
      context.whenClosed(() => this.byContext.get(context)?.forEach((state) => state.dropHolds()));
    }
    this.take(context, name).keep(hold);
    return hold;
  }

  /** Called when something that used the state has ended. */
  removeIfIdle(context: OwnerContext, name: string): void {
    if (this.find(context, name)?.isIdle) this.byContext.get(context)?.delete(name);
  }
}

/** Pairs the write grant and the read grant of an owner that holds both halves of a lock under one owner id. */
export class ReadWritePairs {
  private readonly states = new WeakMap<Grant, ContextLockState>();
  private readonly writes = new WeakMap<Grant, Grant>();

  /** Serializes the writer's read acquisitions so that the second joins the grant made by the first. */
  stateOf(write: Grant): ContextLockState {
    const state = this.states.get(write) ?? new ContextLockState(() => {});
    this.states.set(write, state);
    return state;
  }

  add(write: Grant, read: Grant): void {
    this.stateOf(write).grant = read;
    this.writes.set(read, write);
  }

  /** The read grant this writer also holds, if it is still usable. */
  readOf(write: Grant): Grant | undefined {
    return this.states.get(write)?.joinableGrant;
  }

  /** The write grant this reader also holds, if it is still usable. */
  writeOf(read: Grant): Grant | undefined {
    const write = this.writes.get(read);
    return write?.isJoinable && !write.isLost ? write : undefined;
  }
}

/**
 * Lets later calls for a beneficiary, such as a transaction, re-enter a hold that is kept for it although the first
 * call joined a grant of its caller. Otherwise they would wait, as a new owner, for the end of the beneficiary, and so
 * for themselves. The caller comes first: later calls get in when its context has closed.
 * @param beneficiary Scope of the beneficiary.
 * @param caller The context whose grant was joined.
 */
export const keepForBeneficiary = (
  beneficiary: ScopeContext,
  states: ContextLockStates,
  hold: GrantedHold,
  caller: OwnerContext,
): void => {
  const { name, kind } = hold.grant;
  const state = states.take(beneficiary, stateName(kind.family, name));
  if (state.joinableGrant) return;
  state.grant = hold.grant;
  void state.sectionMutex.lock().then((unlock) => caller.whenClosed(unlock));
};

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
