import { currentBeneficiary, type HoldingContext, type ScopeContext } from '../context/owner-context.js';
import type { Unlock, AsyncMutex } from '../concurrency/async-mutex.js';
import { refusal } from '../waiting/wait-errors.js';
import { type HeldSection, entered } from './critical-section.js';
import { admit, type Admission } from './admission.js';
import type { Grant } from '../holds/grant.js';
import type { HoldLifetime } from '../holds/grant-holds.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { type ContextServices, EnclosingHolds } from './enclosing-holds.js';
import { keepForBeneficiary } from './keep-for-beneficiary.js';
import type { LockKind } from '../holds/lock-kind.js';
import { retryWhileWaiting } from '../waiting/retry-while-waiting.js';
import { readWhileWriting, upgradeError } from './read-while-writing.js';
import { stateName } from './context-lock-state.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { WaitLimit } from '../time/wait-limit.js';
import { type AcquireContext } from '../waiting/acquirer.js';

type Request = AcquireContext & AcquireTerms;

/** Services needed to acquire the locks of one connection. */
export interface ReentrancyServices extends ContextServices {
  /** Aborts when the application shuts down: no new owner is admitted and no caller goes on waiting. */
  readonly shutdown: AbortSignal;
}

/**
 * Acquires one lock, or re-enters it. {@link EnclosingHolds} decides as whom, and so what happens:
 *
 * - `holder`: joins the grant of the context. In a scope, a section first waits for the other sections of the scope.
 * - `writer`: joins the writer's read grant, or makes it.
 * - `scope`: waits for the acquisitions of the scope, then joins its grant, or makes it.
 * - `new-owner`: makes a grant.
 *
 * The hold of a context may end before it is joined. The code then acquires as the next of them that applies.
 */
export class ReentrantAcquirer {
  private readonly enclosing: EnclosingHolds;

  /**
   * @param template The key template that produced the name, if any, for errors.
   * @param method The method or interceptor that is locked, if any, for events and logs: `@Locked Orders.pay`.
   */
  constructor(
    private readonly runtime: ReentrancyServices,
    private readonly kind: LockKind,
    private readonly name: string,
    private readonly template: string | undefined,
    private readonly method: string | undefined,
  ) {
    this.enclosing = new EnclosingHolds(runtime, name);
  }

  /** The grant that the running code may join: that of the innermost enclosing context that has one. */
  current(): Grant | undefined {
    return this.enclosing.covering(this.kind.family)?.grant;
  }

  /** A separate hold, which the caller must release. */
  acquire(terms: AcquireTerms): Promise<GrantedHold> {
    const request = this.request(terms);
    const holder = this.enclosing.holder(this.kind.family);
    // No async wrapper: there may be many waiters, and each would pay for an extra promise.
    if (holder.as === 'new-owner') return this.acquireAsNewOwner(request, 'manual');
    return holder.as === 'holder' ? this.joinOrAcquire(holder.grant, request) : this.acquireAnew(request, 'manual');
  }

  /** A hold for work that runs under it. Sections of one owner on one lock run one at a time, in order of arrival. */
  async enter(terms: AcquireTerms): Promise<HeldSection<GrantedHold>> {
    const request = this.request(terms);
    let holder = this.enclosing.holder(this.kind.family);
    if (holder.as === 'holder') {
      const { context, grant } = holder;
      // Join before waiting for the mutex, so that the grant stays while a sibling queues, whichever ends first.
      const hold = context.kind === 'hold' ? await this.join(grant, request, 'scoped') : undefined;
      if (context.kind === 'hold' && hold) return this.enterUnder(context, hold, request);
      holder = this.enclosing.newHolder(this.kind.family);
    }
    switch (holder.as) {
      case 'writer':
        return this.enterUnder(holder.context, await this.acquireAnew(request, 'scoped'), request);
      case 'scope':
        return this.enterInScope(holder.scope, request);
      default:
        return entered(await this.acquireAsNewOwner(request, 'scoped'), () => {});
    }
  }

  private async joinOrAcquire(grant: Grant, request: Request): Promise<GrantedHold> {
    return (await this.join(grant, request, 'manual')) ?? (await this.acquireAnew(request, 'manual'));
  }

  /** Opens a section under a hold that the context has, once the other sections of the context have ended. */
  private async enterUnder(
    context: HoldingContext,
    hold: GrantedHold,
    request: Request,
  ): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.lockSections(context, request).catch((error: unknown) => {
      // In the background: the caller need not wait for the release.
      void hold.releaseQuietly();
      throw error;
    });
    const section = this.openSection(context, hold, unlock);
    try {
      // The lease starts with the section, not with the wait for the mutex.
      await hold.refresh(request.lease);
      hold.assertHeld();
      return section;
    } catch (error) {
      void section.leave();
      throw error;
    }
  }

  private async enterInScope(scope: ScopeContext, request: Request): Promise<HeldSection<GrantedHold>> {
    const unlock = await this.lockSections(scope, request);
    try {
      return this.openSection(scope, await this.acquireInScope(scope, request, 'scoped'), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  private openSection(context: HoldingContext, hold: GrantedHold, unlock: Unlock): HeldSection<GrantedHold> {
    const beneficiary = currentBeneficiary();
    if (!beneficiary || context === beneficiary) return entered(hold, unlock);
    const { contextLockStates } = this.runtime;
    const onKept = (): void => keepForBeneficiary(beneficiary, contextLockStates, this.stateName, hold, context);
    return entered(hold, unlock, onKept);
  }

  /** For a caller that joins no hold: in its scope, if it is in one. */
  private acquireAnew(request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const scope = this.enclosing.scope(this.kind.family);
    return scope ? this.acquireInScope(scope, request, lifetime) : this.acquireGrant(request, lifetime);
  }

  private async acquireInScope(scope: ScopeContext, request: Request, lifetime: HoldLifetime): Promise<GrantedHold> {
    const { contextLockStates } = this.runtime;
    const unlock = await this.lock(contextLockStates.take(scope, this.acquireStateName).acquireMutex, request);
    const state = contextLockStates.take(scope, this.stateName);
    try {
      const joined = state.joinableGrant ? await this.join(state.joinableGrant, request, lifetime) : undefined;
      if (joined) return joined;
      const onClosed = (): void => contextLockStates.removeIfIdle(scope, this.stateName);
      const hold = await this.acquireGrant(request, lifetime, onClosed);
      // Not `state`: it may have been removed meanwhile, if the scope's previous grant ended.
      contextLockStates.take(scope, this.stateName).grant = hold.grant;
      return hold;
    } finally {
      unlock();
      contextLockStates.removeIfIdle(scope, this.stateName);
    }
  }

  /** Acquires as the writer that the caller is, or as a new owner. */
  private acquireGrant(request: Request, lifetime: HoldLifetime, onClosed?: () => void): Promise<GrantedHold> {
    const write = this.enclosing.writing(this.kind.family)?.grant;
    if (!write) return this.acquireAsNewOwner(request, lifetime, onClosed);
    const reading = this.acquireAsWriter(write, request, lifetime, onClosed);
    return reading.then((hold) => hold ?? this.acquireAsNewOwner(request, lifetime, onClosed));
  }

  private acquireAsNewOwner(request: Request, lifetime: HoldLifetime, onClosed?: () => void): Promise<GrantedHold> {
    const { runtime, kind } = this;
    const read = this.enclosing.reading(kind.family);
    if (read) return Promise.reject(upgradeError(read, request.template));
    // A new owner is not admitted while the application shuts down.
    const limit = request.limit.withShutdown(runtime.shutdown);
    const asked = this.admission(request, limit, lifetime, onClosed);
    return kind.acquirer.acquire(asked, request.lease ?? runtime.watchdog.timeout, admit(runtime, kind, asked));
  }

  /** Reads as the owner that writes; `undefined` if it no longer writes. */
  private async acquireAsWriter(
    write: Grant,
    request: Request,
    lifetime: HoldLifetime,
    onClosed?: () => void,
  ): Promise<GrantedHold | undefined> {
    const { readWritePairs, watchdog } = this.runtime;
    const state = readWritePairs.stateOf(write);
    const unlock = await this.lock(state.acquireMutex, request);
    try {
      const joined = state.joinableGrant && (await this.join(state.joinableGrant, request, lifetime));
      if (joined) return joined;
      // Same owner id: wait for its pending commands first, or they could overtake the new one.
      await state.grant?.seal();
      const lease = request.lease ?? watchdog.timeout;
      const acquired = await retryWhileWaiting(request, () => readWhileWriting(write, this.kind.operations, lease));
      if (!acquired) return undefined;
      const hold = admit(this.runtime, this.kind, this.admission(request, request.limit, lifetime, onClosed))(acquired);
      readWritePairs.add(write, hold.grant);
      return hold;
    } finally {
      unlock();
    }
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
  private async lockSections(context: HoldingContext, request: Request): Promise<Unlock> {
    const { contextLockStates } = this.runtime;
    if (this.kind.family !== 'read')
      return this.lock(contextLockStates.take(context, this.stateName).sectionMutex, request);
    if (!this.enclosing.heldIn(context, 'write')) return () => {};
    return this.lock(contextLockStates.take(context, stateName('write', this.name)).sectionMutex, request);
  }

  private async lock(mutex: AsyncMutex, request: Request): Promise<Unlock> {
    const unlockOrEnd = await mutex.lock(request.limit);
    if (typeof unlockOrEnd === 'function') return unlockOrEnd;
    throw refusal(request, unlockOrEnd, undefined);
  }

  /** The key under which contexts store the state of this lock. */
  private get stateName(): string {
    return stateName(this.kind.family, this.name);
  }

  /** A scope acquires the two halves one at a time: whether it holds one decides how it gets the other. */
  private get acquireStateName(): string {
    return this.kind.family === 'read' ? stateName('write', this.name) : this.stateName;
  }

  private admission(
    { what, name, template, lease }: Request,
    limit: WaitLimit,
    lifetime: HoldLifetime,
    onClosed: (() => void) | undefined,
  ): Admission {
    return { what, name, template, lease, limit, lifetime, method: this.method, onClosed };
  }

  private request({ lease, limit }: AcquireTerms): Request {
    return { what: 'Lock', name: this.name, template: this.template, lease, limit };
  }
}
