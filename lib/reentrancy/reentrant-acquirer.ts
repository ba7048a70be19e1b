import { LockConflictError } from '../errors.js';
import type { OwnerContext } from '../context/owner-context.js';
import type { Unlock, AsyncMutex } from '../concurrency/async-mutex.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { refusal } from '../waiting/wait-errors.js';
import { type HeldSection, entered } from './critical-section.js';
import { Grant } from '../holds/grant.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { type ContextServices, type EnclosingHold, EnclosingHolds } from './enclosing-holds.js';
import { keptFor } from './kept-for.js';
import type { LockKind } from '../holds/lock-kind.js';
import { retryWhileWaiting } from '../waiting/retry-while-waiting.js';
import { readBeside } from './read-while-writing.js';
import { stateName } from './context-lock-state.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import { type AcquireContext } from '../waiting/acquirer.js';

type Request = AcquireContext & AcquireTerms;

/** Services needed to acquire the locks of one connection. */
export interface ReentrancyServices extends ContextServices {
  /** Aborts when the application shuts down: no new owner is admitted and no caller goes on waiting. */
  readonly shutdown: AbortSignal;
}

/** The origin of a lock, for errors, events and logs. */
interface Origin {
  /** The key template that produced its name. */
  readonly template: string | undefined;
  /** The method or interceptor that is locked: `@Locked Orders.pay`. */
  readonly method: string | undefined;
}

/**
 * Acquires one lock, or re-enters it. The owner depends on the context of the running code: inside a context that holds
 * the lock it is that owner, without waiting; inside a scope, the scope's owner; otherwise always a new owner. A writer
 * may also read, as the same owner; a reader may not write.
 */
export class ReentrantAcquirer {
  constructor(
    private readonly runtime: ReentrancyServices,
    private readonly kind: LockKind,
    private readonly name: string,
    private readonly origin: Origin,
  ) {}

  private get enclosing(): EnclosingHolds {
    return new EnclosingHolds(this.runtime, this.name);
  }

  /** The key under which contexts store the state of this lock. */
  private get stateName(): string {
    return stateName(this.kind.family, this.name);
  }

  /** A scope acquires the two halves one at a time: whether it holds one decides how it gets the other. */
  private get acquireStateName(): string {
    return this.kind.family === 'read' ? stateName('write', this.name) : this.stateName;
  }

  /** The grant that the running code may join: that of the innermost enclosing context that has one. */
  current(): Grant | undefined {
    return this.enclosing.covering(this.kind.family)?.grant;
  }

  /** A separate hold, which the caller must release. */
  acquire(terms: AcquireTerms): Promise<GrantedHold> {
    const request = this.request(terms);
    const grant = this.current();
    return grant ? this.joinOrAcquire(grant, request) : this.acquireNew(request, 'manual');
  }

  private async joinOrAcquire(grant: Grant, request: Request): Promise<GrantedHold> {
    return (await this.join(grant, request, 'manual')) ?? (await this.acquireNew(request, 'manual'));
  }

  /** A hold for work that runs under it. Sections of one owner on one lock run one at a time, in order of arrival. */
  async enter(terms: AcquireTerms): Promise<HeldSection<GrantedHold>> {
    const request = this.request(terms);
    const covering = this.enclosing.covering(this.kind.family);
    if (covering && !covering.context.isScope) {
      // Join before waiting for the mutex, so that the grant stays while a sibling queues, whichever ends first.
      const hold = await this.join(covering.grant, request, 'scoped');
      if (hold) return this.enterInRegion(covering.context, hold, request);
    }
    const written = this.enclosingWrite();
    if (written && !written.context.isScope)
      return this.enterInRegion(written.context, await this.acquireNew(request, 'scoped'), request);
    const scope = this.scope();
    if (scope) return this.enterInScope(scope, request);
    return entered(await this.acquireNew(request, 'scoped'), () => {});
  }

  /** Opens a section under a hold that the context has. */
  private joinIn(context: OwnerContext, hold: GrantedHold, unlock: Unlock): HeldSection<GrantedHold> {
    const beneficiary = this.enclosing.beneficiary();
    if (!beneficiary || context === beneficiary) return entered(hold, unlock);
    const { contextLockStates } = this.runtime;
    return entered(hold, unlock, () => keptFor(beneficiary, contextLockStates, this.stateName, hold, context));
  }

  private async enterInRegion(
    context: OwnerContext,
    hold: GrantedHold,
    request: Request,
  ): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.enterMutexIn(context, request).catch((error: unknown) => {
      // In the background: the caller need not wait for the release.
      void hold.releaseQuietly();
      throw error;
    });
    const inTurn = this.joinIn(context, hold, unlock);
    try {
      // The lease starts with the section, not with the wait for the mutex.
      await hold.refresh(request.lease);
      hold.assertHeld();
      return inTurn;
    } catch (error) {
      void inTurn.leave();
      throw error;
    }
  }

  private async enterInScope(scope: OwnerContext, request: Request): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.enterMutexIn(scope, request);
    try {
      return this.joinIn(scope, await this.acquireInScope(scope, request, 'scoped'), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** For a caller that holds nothing yet, or only the other half; inside a scope or outside. */
  private acquireNew(request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const scope = this.scope();
    return scope ? this.acquireInScope(scope, request, lifetime) : this.acquireFirst(request, lifetime);
  }

  /**
   * The scope that holds the lock, or the other half that allows this one; otherwise the one that new locks are
   * acquired in. Calls for a transaction are inside two scopes: that of the caller and that of the transaction.
   */
  private scope(): OwnerContext | undefined {
    const scope = this.enclosing.scope();
    if (!scope) return undefined;
    const covering = this.enclosing.covering(this.kind.family) ?? this.enclosingWrite();
    return covering?.context.isScope ? covering.context : scope;
  }

  private async acquireInScope(scope: OwnerContext, request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const { contextLockStates } = this.runtime;
    const unlock = await this.enterMutex(contextLockStates.take(scope, this.acquireStateName).acquireMutex, request);
    const state = contextLockStates.take(scope, this.stateName);
    try {
      const joined = state.joinableGrant ? await this.join(state.joinableGrant, request, lifetime) : undefined;
      if (joined) return joined;
      const hold = await this.acquireFirst(request, lifetime, () =>
        contextLockStates.removeIfIdle(scope, this.stateName),
      );
      // Not `seat`: it may have been removed meanwhile, if the scope's previous grant ended.
      contextLockStates.take(scope, this.stateName).grant = hold.grant;
      return hold;
    } finally {
      unlock();
      contextLockStates.removeIfIdle(scope, this.stateName);
    }
  }

  /** Acquires as the owner of the other half, or as a new owner. */
  private acquireFirst(request: Request, lifetime: HoldLifetime, onClosed?: () => void): Promise<GrantedHold> {
    const refused = this.upgradeError(request);
    if (refused) return Promise.reject(refused);
    const write = this.enclosingWrite()?.grant;
    return write
      ? this.acquireAsWriter(write, request, lifetime, onClosed)
      : this.acquireAsNewOwner(request, lifetime, onClosed);
  }

  private async acquireAsWriter(
    write: Grant,
    request: Request,
    lifetime: HoldLifetime,
    onClosed?: () => void,
  ): Promise<GrantedHold> {
    const beside = await this.acquireReadForWriter(write, request, lifetime, onClosed);
    return beside ?? (await this.acquireAsNewOwner(request, lifetime, onClosed));
  }

  private acquireAsNewOwner(request: Request, lifetime: HoldLifetime, onClosed?: () => void): Promise<GrantedHold> {
    const { runtime, kind } = this;
    // A new owner is not admitted while the application shuts down.
    const limit = request.limit.withShutdown(runtime.shutdown);
    const { what, name, template, lease } = request;
    // There may be many waiters: capture only the values needed after the grant.
    const terms = { lease, limit };
    const admit = (acquired: Acquired): GrantedHold => this.admit(acquired, terms, lifetime, onClosed);
    return kind.acquirer.acquire({ what, name, template, limit }, lease ?? runtime.watchdog.timeout).then(admit);
  }

  /** Reads as the owner that writes; `undefined` if it no longer writes. */
  private async acquireReadForWriter(
    write: Grant,
    request: Request,
    lifetime: HoldLifetime,
    onClosed?: () => void,
  ): Promise<GrantedHold | undefined> {
    const { readWritePairs, watchdog } = this.runtime;
    const state = readWritePairs.stateOf(write);
    const unlock = await this.enterMutex(state.acquireMutex, request);
    try {
      const joined = state.joinableGrant && (await this.join(state.joinableGrant, request, lifetime));
      if (joined) return joined;
      // Same owner id: wait for its pending commands first, or they could overtake the new one.
      await state.grant?.seal();
      const lease = request.lease ?? watchdog.timeout;
      const acquired = await retryWhileWaiting(request, () => readBeside(write, this.kind.operations, lease));
      if (!acquired) return undefined;
      const hold = this.admit(acquired, request, lifetime, onClosed);
      readWritePairs.add(write, hold.grant);
      return hold;
    } finally {
      unlock();
    }
  }

  private admit(acquired: Acquired, terms: AcquireTerms, lifetime: HoldLifetime, onClosed?: () => void): GrantedHold {
    const grant = new Grant(this.runtime, this.kind, this.name, acquired, this.origin.method, onClosed);
    const hold = new GrantedHold(grant, lifetime, terms.limit.waited);
    grant.addFirstHold(hold, terms.lease);
    return hold;
  }

  /** Re-enters; `undefined` if the grant ended before this call got its mutex. */
  private async join(grant: Grant, request: Request, lifetime: HoldLifetime): Promise<GrantedHold | undefined> {
    // Skipped for a lost grant, which is refused as lost.
    if (!grant.isLost) this.kind.checkReentry?.(grant);
    return retryWhileWaiting(request, async () => {
      const hold = new GrantedHold(grant, lifetime, request.limit.waited);
      return (await grant.reenter(hold, request.lease)) ? hold : undefined;
    });
  }

  /** Sections run one at a time. Readers run concurrently with each other, unless their context also writes. */
  private async enterMutexIn(context: OwnerContext, request: Request): Promise<Unlock> {
    const { contextLockStates } = this.runtime;
    if (this.kind.family !== 'read')
      return this.enterMutex(contextLockStates.take(context, this.stateName).sectionMutex, request);
    if (!this.enclosing.heldIn(context, 'write')) return () => {};
    return this.enterMutex(contextLockStates.take(context, stateName('write', this.name)).sectionMutex, request);
  }

  private async enterMutex(mutex: AsyncMutex, request: Request): Promise<Unlock> {
    const unlockOrEnd = await mutex.lock(request.limit);
    if (typeof unlockOrEnd === 'function') return unlockOrEnd;
    throw refusal(request, unlockOrEnd, undefined);
  }

  private request(terms: AcquireTerms): Request {
    return { what: 'Lock', name: this.name, template: this.origin.template, ...terms };
  }

  /** The write grant held by the caller that is about to read, if any. */
  private enclosingWrite(): EnclosingHold | undefined {
    return this.kind.family === 'read' ? this.enclosing.covering('write') : undefined;
  }

  /** The error for a reader that wants to write: it would wait for itself, so it is refused at once. */
  private upgradeError({ name, template }: Request): LockConflictError | undefined {
    const read = this.kind.family === 'write' ? this.enclosing.covering('read')?.grant : undefined;
    if (!read || read.isLost) return undefined;
    return new LockConflictError(
      `Lock "${name}" is held for reading by the caller itself (${read.owner}), so it would wait for itself: release the read lock first, or take the write lock before reading`,
      { lockName: name, template, details: { holder: read.owner } },
    );
  }
}
